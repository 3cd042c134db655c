/**
 * Beta features of the Messages API that the gateway refuses, because they change the provider's prices, or because the
 * size of the request does not bound their cost. Examples are faster inference, conversations stored by the provider,
 * and code that the provider runs (docs/wires/README.md lists all). All other betas pass, because clients depend on
 * them.
 */
const pricedBetas = [
  'fast-mode-',
  'compact-',
  'mcp-client-',
  'mcp-tunnels-',
  'code-execution-',
  'skills-',
  'web-fetch-',
  'advisor-tool-',
  'server-side-fallback-',
  'fallback-credit-',
  'user-profiles-billing-',
];

const PRICED_BETA_RULE = 'changes the provider’s price, and this gateway has no price for it; leave it out';

const THREADS = 'message-threads-';

/**
 * Refusal of threads, with which a provider would store the conversation. The request then lacks earlier turns, so its
 * size does not bound the cost.
 */
export const threadsRefusal = {
  message: 'neither the gateway nor its providers store conversations; leave it out, and send the whole conversation',
  /** Error details after which the official SDKs continue without a thread. Source: code of @anthropic-ai/sdk 1.11. */
  details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
};

export interface BetaRefusal {
  message: string;
  details?: Record<string, unknown>;
}

/** Returns the refusal for a beta that is not allowed, a priced beta first; undefined if all are allowed. */
export function refusedBeta(names: readonly string[]): BetaRefusal | undefined {
  const of = (prefixes: string[]) =>
    names.find((name) => prefixes.some((prefix) => name.toLowerCase().startsWith(prefix)));
  const priced = of(pricedBetas);
  if (priced !== undefined) return { message: `"${priced.slice(0, 100)}" ${PRICED_BETA_RULE}` };
  const threads = of([THREADS]);
  if (threads === undefined) return undefined;
  return { ...threadsRefusal, message: `"${threads.slice(0, 100)}": ${threadsRefusal.message}` };
}
