import { responsesFieldNames, responsesRenames } from '../../client-apis/responses/field-names.ts';
import { KEEP_ALIVE } from '../../platform/sse.ts';
import { responsesJson, responsesRequestSchema, type ResponsesCall } from '../../client-apis/responses/request.ts';
import { wholeResponse } from '../../client-apis/responses/whole-response.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { answerMessage, SILENCE_MS, type AnswerForm } from '../parts/answer-message.ts';
import { responseEventWriter } from './stream-body.ts';

export const accepts = {
  body: responsesRequestSchema,
  ...responsesJson,
  meanwhile: refreshSignals,
};

function responseForm(call: ResponsesCall): AnswerForm {
  return {
    route: 'create-response',
    leftOut: call.leftOut,
    fieldNames: responsesRenames,
    whenSilent: { chunk: KEEP_ALIVE, afterMs: SILENCE_MS },
    writer: (start) => responseEventWriter(start, call),
    // Codex compacts a conversation after a `response.failed` event with this error, but not after any HTTP status.
    streamedRefusals: ['context_length_exceeded'],
    wholeAnswer: (message) => wholeResponse(message, call),
  };
}

export const handler = defineEndpoint('create-response', accepts, ({ body: call, ...input }) =>
  answerMessage({ ...input, body: call.message }, responseForm(call)).catch((error: unknown) => {
    throw withClientFieldName(error, responsesFieldNames(call.origins));
  }),
);
