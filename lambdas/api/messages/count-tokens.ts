import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { countAtFirst } from '../../routing/count-tokens.ts';
import { withoutResults } from '../../search/turns.ts';
import { parseMessage, routeMessage } from '../../inference/messages/routed-message.ts';
import type { CountAnswer } from './shape.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson };

/** The provider's own count where it has one; else the gateway's estimate of the request. */
export const handler = defineEndpoint('count-tokens', accepts, async (input) => {
  const { message, content, client, candidates, search } = await routeMessage(await parseMessage(input), input);
  const countable = withoutResults(message, search?.pending ?? []);
  const counted = await countAtFirst(candidates, countable, client, input.providerTime);
  if (counted !== undefined) return jsonResponse<CountAnswer>(200, { input_tokens: counted });
  return jsonResponse<CountAnswer>(200, { input_tokens: content.estimatedTokens, estimated: true });
});
