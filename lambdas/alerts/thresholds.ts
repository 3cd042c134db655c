import { Money } from '../money/money.ts';
import { intervals, windowsAt, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, ScopeId } from '../store/counters/counters.ts';

/** Thresholds of a scope whose owner has chosen none, in percent of a limit. 100 means that the limit is exhausted. */
export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 95, 100];

/**
 * Spending, in thousandths of a limit, from which the limit counts as exhausted. A request needs room for its whole
 * hold, so spending ends shortly before a limit is reached.
 */
const EXHAUSTED_PER_MILLE = 995n;

/** The highest threshold that a scope has crossed in one window. */
export interface Crossing {
  scope: ScopeId;
  interval: Interval;
  window: string;
  threshold: number;
  /** Lower thresholds, which are crossed as well. */
  lower: readonly number[];
  spent: Money;
  limit: Money;
}

/**
 * Returns the highest crossed threshold of each limited window of a scope. A limit of 0 has none: it blocks spending on
 * purpose.
 */
export function crossingsOf(
  scope: ScopeId,
  counter: Counter,
  { windows, thresholds }: { windows: Windows; thresholds: readonly number[] },
): Crossing[] {
  return intervals.flatMap((interval) => {
    const limit = counter.limits[interval];
    if (!limit || limit.isZero) return [];
    const window = windows[interval];
    const spent = counter.spent(window);
    const crossed = thresholds.filter((threshold) => isCrossed(threshold, spent, limit)).sort((a, b) => a - b);
    const threshold = crossed.at(-1);
    if (threshold === undefined) return [];
    return [{ scope, interval, window, threshold, lower: crossed.slice(0, -1), spent, limit }];
  });
}

function isCrossed(threshold: number, spent: Money, limit: Money): boolean {
  const perMille = threshold === 100 ? EXHAUSTED_PER_MILLE : BigInt(threshold) * 10n;
  return spent.pico * 1_000n >= limit.pico * perMille;
}

/**
 * Returns the name of a crossing. It contains the limit, so a raised or lowered limit can be crossed again in the same
 * window. It does not contain the revision of the limits, because the revision also changes with the limit of another
 * period.
 */
export function crossingName({ scope, window, limit }: Crossing, threshold: number): string {
  return `limit#${scope.kind}#${scope.id}#${window}#${limit.toString()}#${threshold}`;
}

/** Returns the windows of a UTC day. */
export function windowsOfDate(date: string): Windows {
  return windowsAt(Date.parse(date));
}
