import { Money } from '../money/money.ts';
import type { Generation } from '../store/generations/generation.ts';
import type { Outcome } from '../store/generations/outcome.ts';

/** Cost and token totals of a group of requests. */
export interface DailySums {
  usage: Money;
  /** Savings by cache reads compared to uncached input, minus the surcharge for cache writes. May be negative. */
  cacheSaved: Money;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

export const noDailySums: Readonly<DailySums> = {
  usage: Money.zero,
  cacheSaved: Money.zero,
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/** Adds totals to the totals of a daily row, in place. */
export function addDailySums(row: DailySums, more: DailySums): void {
  row.usage = row.usage.plus(more.usage);
  row.cacheSaved = row.cacheSaved.plus(more.cacheSaved);
  row.requests += more.requests;
  row.promptTokens += more.promptTokens;
  row.completionTokens += more.completionTokens;
  row.reasoningTokens += more.reasoningTokens;
}

/** A settled generation, whose outcome (cost, usage, ending) is therefore known. */
export type FinalGeneration = Generation & { outcome: Outcome };

/**
 * Returns whether a generation counts as activity: it was charged or completed. A request that cost nothing and failed
 * or was cancelled does not count.
 */
export function isActivity(generation: Generation): generation is FinalGeneration {
  const { state, outcome } = generation;
  if (state !== 'final' || !outcome) return false;
  return !outcome.cost.isZero || (!outcome.cancelled && outcome.finishReason !== 'error');
}

/** Returns the totals of one generation, for its daily rows. */
export function dailySumsOf({ cost: usage, cacheSaved, ...outcome }: Outcome): DailySums {
  const { promptTokens, completionTokens, reasoningTokens } = outcome;
  return {
    usage,
    cacheSaved,
    requests: 1,
    promptTokens,
    completionTokens,
    reasoningTokens: reasoningTokens ?? 0,
  };
}
