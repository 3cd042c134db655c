import type { UsageBound } from './price.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

/**
 * Keeps reported usage within what the request could come to: no more prompt than was sent, no more output than was
 * asked for, no cache that was not asked for, no search that could not be made.
 *
 * Guarantee: the result costs at most `priceUpperBound(bound)`. Reported usage within the bound is returned as it is.
 */
export function withinBound(usage: TokenUsage, bound: UsageBound): { usage: TokenUsage; exceeded: boolean } {
  const asked = withoutUnaskedCaches(usage, bound);
  const outputTokens = Math.min(asked.outputTokens, bound.outputTokens);
  const searchRequests =
    asked.searchRequests === undefined ? undefined : Math.min(asked.searchRequests, bound.searchRequests);
  const bounded: TokenUsage = {
    ...asked,
    ...(promptTokens(asked) > bound.promptTokens ? cutPrompt(asked, bound.promptTokens) : {}),
    outputTokens,
    reasoningTokens: asked.reasoningTokens === undefined ? undefined : Math.min(asked.reasoningTokens, outputTokens),
    searchRequests,
    pricedImages: bound.pricedImages || undefined,
  };
  const exceeded =
    promptTokens(asked) > bound.promptTokens ||
    usage.outputTokens > bound.outputTokens ||
    (usage.searchRequests ?? 0) > bound.searchRequests;
  return { usage: bounded, exceeded };
}

/** Tokens written to a cache that the request did not ask for count as plain prompt. */
function withoutUnaskedCaches(usage: TokenUsage, { cacheWrites }: UsageBound): TokenUsage {
  const short = usage.cacheWrite5mTokens ?? 0;
  const long = usage.cacheWrite1hTokens ?? 0;
  if (cacheWrites === 'none' && short + long > 0) {
    return {
      ...usage,
      inputTokens: usage.inputTokens + short + long,
      cacheWrite5mTokens: undefined,
      cacheWrite1hTokens: undefined,
    };
  }
  if (cacheWrites === '5m' && long > 0) {
    return { ...usage, cacheWrite5mTokens: short + long, cacheWrite1hTokens: undefined };
  }
  return usage;
}

/** The dearest kinds of input first, until the bound is used up. */
function cutPrompt(usage: TokenUsage, bound: number): Partial<TokenUsage> {
  let left = bound;
  const take = (tokens: number | undefined) => {
    if (tokens === undefined) return undefined;
    const taken = Math.min(tokens, left);
    left -= taken;
    return taken;
  };
  return {
    cacheWrite1hTokens: take(usage.cacheWrite1hTokens),
    cacheWrite5mTokens: take(usage.cacheWrite5mTokens),
    inputTokens: take(usage.inputTokens)!,
    cacheReadTokens: take(usage.cacheReadTokens),
  };
}
