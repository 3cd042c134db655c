import { privacyOf } from '../../admission/caller.ts';
import { measurePrompt } from '../../admission/prompt-size.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { withoutRouting } from '../../messages/preferences.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { refuseUnprotected } from '../../protection/sensitive-data.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { resources } from '../../resources.ts';
import { messagesCandidates } from '../../routing/candidates.ts';
import { countAtFirst } from '../../routing/count-tokens.ts';
import { endpointSignals } from './endpoint-signals.ts';
import type { CountAnswer } from './shape.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson };

/** The provider's own count where it has one; else the gateway's estimate of the request. */
export const handler = defineEndpoint('count-tokens', accepts, async ({ body, request, caller }) => {
  refuseUnprotected(caller.key.sensitiveData);
  const message = withoutRouting(body);
  const { estimatedTokens } = measurePrompt(message);
  const candidates = await messagesCandidates({
    catalog: resources.catalog(),
    request: body,
    exclusionOf: privacyFilter(privacyOf(caller)),
    signals: endpointSignals(),
    promptTokens: estimatedTokens,
  });
  const counted = await countAtFirst(candidates, message, clientHeaders(request.headers));
  if (counted !== undefined) return jsonResponse<CountAnswer>(200, { input_tokens: counted });
  return jsonResponse<CountAnswer>(200, { input_tokens: estimatedTokens, estimated: true });
});
