import { chatJson, chatRequestSchema } from '../../client-apis/chat/request.ts';
import { chatNames } from '../../client-apis/chat/sent-names.ts';
import { asSent } from '../../client-apis/sent-names.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: chatRequestSchema, ...chatJson, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-chat-completion', accepts, async ({ body: call, ...input }) => {
  const estimated = estimateMessage({ ...input, body: call.message }).catch((error: unknown) => {
    throw asSent(error, chatNames(call.origins));
  });
  return estimateAnswer(await estimated);
});
