import { withClientFieldName } from '../../client-apis/field-names.ts';
import { responsesFieldNames } from '../../client-apis/responses/field-names.ts';
import { responsesJson, responsesRequestSchema } from '../../client-apis/responses/request.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { countPrompt } from '../../inference/estimates/count-prompt.ts';
import type { InputTokensAnswer } from './shape.ts';

export const accepts = { body: responsesRequestSchema, ...responsesJson };

export const handler = defineEndpoint('count-input-tokens', accepts, async ({ body: call, ...input }) => {
  const counted = await countPrompt({ ...input, body: call.message }).catch((error: unknown) => {
    throw withClientFieldName(error, responsesFieldNames(call.origins));
  });
  return jsonResponse<InputTokensAnswer>(200, { object: 'response.input_tokens', ...counted });
});
