/**
 * Prefixes of beta features that no provider gets. These features change the provider's prices, or the size of the
 * request does not bound their cost (docs/wires/README.md). Claude Code names some of them in every request, also if it
 * does not use the feature (https://github.com/anthropics/claude-code/issues/70563). A request that uses the feature has
 * a field or a tool that is refused.
 */
const pricedBetas = [
  'fast-mode-',
  'compact-',
  'mcp-',
  'code-execution-',
  'skills-',
  'web-fetch-',
  'advisor-tool-',
  'server-side-fallback-',
  'fallback-credit-',
  'user-profiles-billing-',
];

const THREADS = 'message-threads-';

/**
 * Refusal of threads. With a thread, a provider would store the conversation. The request then lacks earlier turns, so
 * its size does not bound the cost.
 */
export const threadsRefusal = {
  message: 'is not supported: send all messages',
  /** With these details, the official SDKs continue without a thread. Source: code of @anthropic-ai/sdk 1.11. */
  details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
};

export interface BetaRefusal {
  message: string;
  details?: Record<string, unknown>;
}

/** Matches a text that fits into a header. */
const HEADER_TEXT = /^[\x20-\x7e]{0,200}$/;

/** Returns the refusal of a text that may not be sent as a header; undefined if it may be sent. */
export function unfitForHeader(text: string): BetaRefusal | undefined {
  return HEADER_TEXT.test(text) ? undefined : { message: 'must have at most 200 characters of printable ASCII' };
}

/** Returns the refusal for a beta that is not allowed; undefined if all are allowed. */
export function refusedBeta(names: readonly string[]): BetaRefusal | undefined {
  const unfit = names.find(unfitForHeader);
  if (unfit !== undefined) return unfitForHeader(unfit);
  return names.some((name) => name.toLowerCase().startsWith(THREADS)) ? threadsRefusal : undefined;
}

/** Returns the betas without a price of their own. */
export function withoutPricedBetas(names: readonly string[]): string[] {
  return names.filter((name) => !pricedBetas.some((prefix) => name.toLowerCase().startsWith(prefix)));
}
