import { responsesJson, responsesFieldNames, responsesRequestSchema } from '../../client-apis/responses/request.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: responsesRequestSchema, ...responsesJson, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-response', accepts, async ({ body: call, ...input }) => {
  const estimated = estimateMessage({ ...input, body: call.message }).catch((error: unknown) => {
    throw withClientFieldName(error, responsesFieldNames(call.origins));
  });
  return estimateAnswer(await estimated);
});
