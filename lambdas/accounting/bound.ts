import { pieces, promptUnits } from '../catalog/unit-lists.ts';
import type { UsageBound } from './price.ts';
import { fitParts, promptTokens, type TokenUsage } from './usage.ts';

/**
 * Limits reported usage to the request's bound: at most the prompt that was sent, and the output, caches and searches
 * that were requested.
 *
 * Guarantee: the result costs at most `priceUpperBound(bound)`. Usage within the bound is unchanged, with three
 * exceptions. Units that the gateway counted before the request, such as images, keep that count. Cache writes that
 * were not requested become plain input, or writes with a shorter lifetime. The counts of parts of the answer, such as
 * reasoning, are reduced until they sum to at most its output tokens.
 */
export function withinBound(usage: TokenUsage, bound: UsageBound): { usage: TokenUsage; exceeded: boolean } {
  const requested = withoutUnrequestedCaches(usage, bound);
  const isLonger = promptTokens(requested) > bound.promptTokens;
  const bounded: TokenUsage = {
    ...requested,
    ...(isLonger ? cutPrompt(requested, bound.promptTokens) : {}),
    outputTokens: Math.min(requested.outputTokens, bound.outputTokens),
  };
  fitParts(bounded);
  let exceeded = isLonger || usage.outputTokens > bound.outputTokens;
  for (const { usage: field, counted } of pieces) {
    const [used, most = 0] = [requested[field], bound[field]];
    exceeded ||= counted === 'after' && (used ?? 0) > most;
    bounded[field] = counted === 'before' ? most || undefined : used && Math.min(used, most);
  }
  return { usage: bounded, exceeded };
}

/** Converts cache writes that were not requested to plain input, or to writes with a shorter lifetime. */
function withoutUnrequestedCaches(usage: TokenUsage, { cacheWrites }: UsageBound): TokenUsage {
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

/** Units of the prompt, usually the most expensive first. */
const mostExpensiveFirst = promptUnits
  .toReversed()
  .toSorted((a, b) => Number(a.cache === 'read') - Number(b.cache === 'read'));

/** Cuts the prompt to the bound, and keeps the most expensive units. */
function cutPrompt(usage: TokenUsage, bound: number): Partial<TokenUsage> {
  const cut: Partial<TokenUsage> = {};
  let left = bound;
  for (const { usage: field } of mostExpensiveFirst) {
    const tokens = usage[field];
    if (tokens === undefined) continue;
    cut[field] = Math.min(tokens, left);
    left -= cut[field];
  }
  return cut;
}
