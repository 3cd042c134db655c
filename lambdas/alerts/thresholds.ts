import { Money } from '../money/money.ts';
import { intervals, windowsAt, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, ScopeId } from '../store/counters/counters.ts';
import { lacksRoomFor } from '../store/counters/limits.ts';

/** Thresholds of a scope whose owner has chosen none, in percent of a limit. 100 means that the limit is exhausted. */
export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 95, 100];

/** The highest threshold that a scope has crossed in one window, or the refusal of a hold by the limit. */
export interface Crossing {
  scope: ScopeId;
  interval: Interval;
  window: string;
  /** Crossed threshold in percent; 100 for a refusal, although the spending is lower. */
  threshold: number;
  /** Other thresholds that the spending has also crossed. */
  lower: readonly number[];
  spent: Money;
  limit: Money;
  /** Amount of the refused hold; undefined if the spending has crossed the threshold. */
  refused: Money | undefined;
}

/**
 * Returns the crossings of each limited window of a scope: the refusal of a hold, if it counts, then the highest
 * threshold that the spending has crossed. A limit of 0 has no crossings: it blocks spending on purpose. A refusal
 * counts if 100 is one of the thresholds, the limit is not spent, the refused hold is at most half of it, and spending
 * alone leaves no room for the hold.
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
    const facts = { scope, interval, window, spent, limit };
    const crossed = thresholds
      .filter((threshold) => spent.pico * 100n >= limit.pico * BigInt(threshold))
      .sort((a, b) => a - b);
    const crossings: Crossing[] = [];
    const isRefusing = refused && limit.exceeds(spent) && lacksRoomFor(refused, { spent, limit });
    if (isRefusing && thresholds.includes(100)) crossings.push({ ...facts, threshold: 100, lower: crossed, refused });
    const highest = crossed.at(-1);
    if (highest !== undefined)
      crossings.push({ ...facts, threshold: highest, lower: crossed.slice(0, -1), refused: undefined });
    return crossings;
  });
}

/**
 * Returns the names of the marks that may belong to a crossing. If one of these marks exists, the crossing needs no
 * notice. A new mark of the crossing gets the first name.
 */
export function crossingNames(crossing: Crossing): [own: string, ...others: string[]] {
  const name = thresholdName(crossing, crossing.threshold);
  return crossing.refused ? [`${name}#refused`, name] : [name];
}

/**
 * Returns the name of a crossed threshold. It contains the limit, so a changed limit can be crossed again in the same
 * window.
 */
export function thresholdName({ scope, window, limit }: Crossing, threshold: number): string {
  return `limit#${scope.kind}#${scope.id}#${window}#${limit.toString()}#${threshold}`;
}

/** Returns the windows of a UTC day (YYYY-MM-DD). */
export function windowsOfDate(date: string): Windows {
  return windowsAt(Date.parse(date));
}
