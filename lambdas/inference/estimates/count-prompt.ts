import type { RoutedRequest } from '../../messages/preferences.ts';
import { countAtFirst } from '../../routing/count-tokens.ts';
import { withoutResults } from '../../search/turns.ts';
import type { InferenceInput } from '../inference-input.ts';
import { parseMessage, routeMessage } from '../messages/routed-message.ts';

/**
 * Returns the provider's own count of the prompt, or an estimate if the provider offers no count.
 * @throws {GatewayError} if the request is refused, or no provider can serve it
 * @throws {ProviderFailure} if the count fails
 */
export async function countPrompt(
  input: InferenceInput<RoutedRequest>,
): Promise<{ input_tokens: number; estimated?: true }> {
  const { message, content, client, candidates, search } = await routeMessage(await parseMessage(input), input);
  const countable = withoutResults(message, search?.pending ?? []);
  const counted = await countAtFirst(candidates, countable, client, input.providerTime);
  return counted === undefined ? { input_tokens: content.estimatedTokens, estimated: true } : { input_tokens: counted };
}
