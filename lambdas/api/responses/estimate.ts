import { responsesFieldNames } from '../../client-apis/responses/field-names.ts';
import { responsesJson, responsesRequestSchema } from '../../client-apis/responses/request.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { estimateEndpoint } from '../parts/estimate-endpoint.ts';

const rules = { body: responsesRequestSchema, ...responsesJson };

export const { accepts, handler } = estimateEndpoint('estimate-response', rules, ({ body: call, ...input }) =>
  estimateMessage({ ...input, body: call.message }).catch((error: unknown) => {
    throw withClientFieldName(error, responsesFieldNames(call.origins));
  }),
);
