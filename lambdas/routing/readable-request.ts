import { withoutThinking } from '../messages/thinking-signatures.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { ProviderFailure } from '../providers/failures.ts';

/**
 * Removes the reasoning from a request after the provider could not read encrypted reasoning.
 * @returns undefined after any other failure, and for a request without reasoning
 */
export function readableAfter(failure: unknown, request: MessagesRequest): MessagesRequest | undefined {
  if (!(failure instanceof ProviderFailure) || failure.fault !== 'reasoning') return undefined;
  const messages = withoutThinking(request.messages);
  const isSame =
    messages.length === request.messages.length && messages.every((one, at) => one === request.messages[at]);
  return isSame ? undefined : { ...request, messages };
}
