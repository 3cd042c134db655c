import { pieces, promptUnits } from '../catalog/unit-lists.ts';
import type { UsageBound } from './price.ts';
import { fitParts, promptTokens, type TokenUsage } from './usage.ts';

/**
 * Keeps reported usage within what the request could come to: no more prompt than was sent, no more output than was
 * asked for, no cache that was not asked for, no search that could not be made.
 *
 * Guarantee: the result costs at most `priceUpperBound(bound)`. Reported usage within the bound is returned as it is.
 */
export function withinBound(usage: TokenUsage, bound: UsageBound): { usage: TokenUsage; exceeded: boolean } {
  const asked = withoutUnaskedCaches(usage, bound);
  const isLonger = promptTokens(asked) > bound.promptTokens;
  const bounded: TokenUsage = {
    ...asked,
    ...(isLonger ? cutPrompt(asked, bound.promptTokens) : {}),
    outputTokens: Math.min(asked.outputTokens, bound.outputTokens),
  };
  fitParts(bounded);
  let exceeded = isLonger || usage.outputTokens > bound.outputTokens;
  for (const { usage: field, counted } of pieces) {
    const [used, most = 0] = [asked[field], bound[field]];
    exceeded ||= counted === 'after' && (used ?? 0) > most;
    bounded[field] = counted === 'before' ? most || undefined : used && Math.min(used, most);
  }
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

/** Tokens read from a cache cost less than others, written ones more. */
const dearestFirst = promptUnits
  .toReversed()
  .toSorted((a, b) => Number(a.cache === 'read') - Number(b.cache === 'read'));

/** The dearest kinds of input first, until the bound is used up. */
function cutPrompt(usage: TokenUsage, bound: number): Partial<TokenUsage> {
  const cut: Partial<TokenUsage> = {};
  let left = bound;
  for (const { usage: field } of dearestFirst) {
    const tokens = usage[field];
    if (tokens === undefined) continue;
    cut[field] = Math.min(tokens, left);
    left -= cut[field];
  }
  return cut;
}
