import { KEEP_ALIVE } from '../../platform/sse.ts';
import { chatCompletion } from '../../client-apis/chat/completion.ts';
import { chatJson, chatRequestSchema, type ChatCall } from '../../client-apis/chat/request.ts';
import { chatFieldNames } from '../../client-apis/chat/field-names.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { answerMessage, SILENCE_MS, type AnswerForm } from '../parts/answer-message.ts';
import { chunkWriter } from './stream-body.ts';

export const accepts = {
  body: chatRequestSchema,
  ...chatJson,
  meanwhile: refreshSignals,
};

function chatForm(call: ChatCall): AnswerForm {
  // The writer exists until its stream ends, so it does not hold the message, which may be large.
  const { message: _, ...settings } = call;
  return {
    route: 'create-chat-completion',
    leftOut: call.leftOut,
    whenSilent: { chunk: KEEP_ALIVE, afterMs: SILENCE_MS },
    writer: (start) => chunkWriter(start, settings),
    wholeAnswer: (message) => chatCompletion(message, call),
  };
}

export const handler = defineEndpoint('create-chat-completion', accepts, ({ body: call, ...input }) =>
  answerMessage({ ...input, body: call.message }, chatForm(call)).catch((error: unknown) => {
    throw withClientFieldName(error, chatFieldNames(call));
  }),
);
