/**
 * Betas of the Messages API that change what a provider charges, or let a request cost what its bytes do not bound:
 * faster inference, compaction, conversations kept by the provider, tools and code that it runs, other models after a
 * refusal, another payer. docs/wires.md lists them. All others pass: clients depend on it.
 */
const pricedBetas = [
  'fast-mode-',
  'compact-',
  'message-threads-',
  'mcp-client-',
  'mcp-tunnels-',
  'code-execution-',
  'skills-',
  'web-fetch-',
  'web-search-',
  'advisor-tool-',
  'server-side-fallback-',
  'fallback-credit-',
  'user-profiles-billing-',
];

/** The first of the names that stands for a beta with a price of its own. */
export function findPricedBeta(names: readonly string[]): string | undefined {
  return names.find((name) => pricedBetas.some((prefix) => name.toLowerCase().startsWith(prefix)));
}

export const PRICED_BETA_RULE = 'changes what the provider charges, and this gateway has no price for it; leave it out';
