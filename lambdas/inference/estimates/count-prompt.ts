import type { RoutedRequest } from '../../messages/preferences.ts';
import { countAtFirst } from '../../routing/count-tokens.ts';
import { withoutResults } from '../../search/turns.ts';
import type { InferenceInput } from '../inference-input.ts';
import { parseMessage, routeMessage } from '../messages/routed-message.ts';

/**
 * The tokens of a prompt: the provider's own count where it has one; else the gateway's estimate of the request.
 * @throws {GatewayError} when the request goes nowhere. @throws {ProviderFailure}
 */
export async function countPrompt(
  input: InferenceInput<RoutedRequest>,
): Promise<{ input_tokens: number; estimated?: true }> {
  const { message, content, client, candidates, search } = await routeMessage(await parseMessage(input), input);
  const countable = withoutResults(message, search?.pending ?? []);
  const counted = await countAtFirst(candidates, countable, client, input.providerTime);
  return counted === undefined ? { input_tokens: content.estimatedTokens, estimated: true } : { input_tokens: counted };
}
