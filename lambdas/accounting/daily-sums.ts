import { Money } from '../money/money.ts';
import type { Generation } from '../store/generations/generation.ts';
import type { Outcome } from '../store/generations/outcome.ts';

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

export function addDailySums(row: DailySums, more: DailySums): void {
  row.usage = row.usage.plus(more.usage);
  row.cacheSaved = row.cacheSaved.plus(more.cacheSaved);
  row.requests += more.requests;
  row.promptTokens += more.promptTokens;
  row.completionTokens += more.completionTokens;
  row.reasoningTokens += more.reasoningTokens;
}

export type FinalGeneration = Generation & { outcome: Outcome };

/** Returns whether a generation was charged or completed. */
export function isActivity(generation: Generation): generation is FinalGeneration {
  const { state, outcome } = generation;
  if (state !== 'final' || !outcome) return false;
  return !outcome.cost.isZero || (!outcome.cancelled && outcome.finishReason !== 'error');
}

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
