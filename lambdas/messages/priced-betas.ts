/**
 * Prefixes of refused beta features. These features change the provider's prices, or the size of the request does not
 * bound their cost (docs/wires/README.md). `advisor-tool-` is not among them: Claude Code names it in every request
 * (https://github.com/anthropics/claude-code/issues/70563), and it has no effect without the tool, which is refused.
 * `code-execution-web-tools-` is not either: the AI SDK names it with the tool `web_search_20260209`, whose searches the
 * gateway makes itself.
 */
const pricedBetas = [
  'fast-mode-',
  'compact-',
  'mcp-client-',
  'mcp-tunnels-',
  'code-execution-20',
  'skills-',
  'web-fetch-',
  'server-side-fallback-',
  'fallback-credit-',
  'user-profiles-billing-',
];

const PRICED_BETA_RULE = 'changes the provider’s price, and this gateway has no price for it; leave it out';

const THREADS = 'message-threads-';

/**
 * Refusal of threads. With a thread, a provider would store the conversation. The request then lacks earlier turns, so
 * its size does not bound the cost.
 */
export const threadsRefusal = {
  message: 'neither the gateway nor its providers store conversations; leave it out, and send the whole conversation',
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
  return HEADER_TEXT.test(text) ? undefined : { message: 'must have at most 200 characters, all printable ASCII' };
}

/** Returns the refusal for a beta that is not allowed; undefined if all are allowed. */
export function refusedBeta(names: readonly string[]): BetaRefusal | undefined {
  const unfit = names.find(unfitForHeader);
  if (unfit !== undefined) return unfitForHeader(unfit);
  const of = (prefixes: string[]) =>
    names.find((name) => prefixes.some((prefix) => name.toLowerCase().startsWith(prefix)));
  const priced = of(pricedBetas);
  if (priced !== undefined) return { message: `"${priced}" ${PRICED_BETA_RULE}` };
  const threads = of([THREADS]);
  if (threads === undefined) return undefined;
  return { ...threadsRefusal, message: `"${threads}": ${threadsRefusal.message}` };
}
