import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';

/**
 * Returns the client's limit, within the endpoint's minimum and maximum; undefined without a client's limit.
 * @throws {GatewayError} 400 for a limit of 0, which only Anthropic's models support
 */
export function outputLimit({ max_tokens: requested }: MessagesRequest, target: WireTarget): number | undefined {
  if (requested === undefined) return undefined;
  if (requested === 0) {
    throw invalidRequest(
      'max_tokens',
      'must be at least 1, because only Anthropic models accept 0, which only warms a cache',
    );
  }
  const { min_output_tokens: least = 1 } = target.quirks;
  return Math.max(Math.min(requested, target.maxOutputTokens ?? Infinity), least);
}
