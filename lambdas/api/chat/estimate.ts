import { chatJson, chatRequestSchema } from '../../client-apis/chat/request.ts';
import { chatFieldNames } from '../../client-apis/chat/field-names.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: chatRequestSchema, ...chatJson, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-chat-completion', accepts, async ({ body: call, ...input }) => {
  const estimated = estimateMessage({ ...input, body: call.message }).catch((error: unknown) => {
    throw withClientFieldName(error, chatFieldNames(call.origins));
  });
  return estimateAnswer(await estimated);
});
