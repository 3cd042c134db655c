import { privacyOf } from '../../admission/caller.ts';
import { measurePrompt } from '../../admission/prompt-size.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { refuseUnprotected } from '../../protection/sensitive-data.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { resources } from '../../resources.ts';
import { messagesCandidates, resolveModel } from '../../routing/candidates.ts';
import { countUpstream } from '../../routing/count-tokens.ts';
import type { CountAnswer } from './shape.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson };

/** The provider's own count where it has one; else the gateway's estimate of the request. */
export const handler = defineEndpoint('count-tokens', accepts, async ({ body, request, caller }) => {
  refuseUnprotected(caller.key.sensitiveData);
  const model = resolveModel(resources.catalog(), body.model);
  const [candidate] = await messagesCandidates(model, privacyFilter(privacyOf(caller)));
  const client = clientHeaders(request.headers);
  const counted = await countUpstream(candidate!, body, client);
  if (counted !== undefined) return jsonResponse<CountAnswer>(200, { input_tokens: counted });
  return jsonResponse<CountAnswer>(200, { input_tokens: measurePrompt(body).estimatedTokens, estimated: true });
});
