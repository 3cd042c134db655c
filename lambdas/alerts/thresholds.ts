import { Money } from '../money/money.ts';
import { intervals, windowsAt, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, ScopeId } from '../store/counters/counters.ts';
import { lacksRoomFor } from '../store/counters/limits.ts';

/** Thresholds of a scope whose owner has chosen none, in percent of a limit. 100 means that the limit is exhausted. */
export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 95, 100];

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
  /** Amount of a hold that the limit has refused; undefined if the spending alone has crossed the threshold. */
  refused: Money | undefined;
}

/**
 * Returns the highest crossed threshold of each limited window of a scope. A limit of 0 has none: it blocks spending on
 * purpose. A limit is exhausted if it is spent, or if spending leaves no room for a refused hold of at most half
 * of the limit.
 */
export function crossingsOf(
  scope: ScopeId,
  counter: Counter,
  { windows, thresholds, refused }: { windows: Windows; thresholds: readonly number[]; refused?: Money | undefined },
): Crossing[] {
  return intervals.flatMap((interval) => {
    const limit = counter.limits[interval];
    if (!limit || limit.isZero) return [];
    const window = windows[interval];
    const spent = counter.spent(window);
    const isRefusing = refused !== undefined && lacksRoomFor(refused, { spent, limit });
    const isCrossed = (threshold: number) =>
      spent.pico * 100n >= limit.pico * BigInt(threshold) || (threshold === 100 && isRefusing);
    const crossed = thresholds.filter(isCrossed).sort((a, b) => a - b);
    const threshold = crossed.at(-1);
    if (threshold === undefined) return [];
    const cause = limit.exceeds(spent) && threshold === 100 ? refused : undefined;
    return [{ scope, interval, window, threshold, lower: crossed.slice(0, -1), spent, limit, refused: cause }];
  });
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
