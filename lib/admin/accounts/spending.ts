import { Money } from '../../../lambdas/money/money.ts';
import { intervals, windowsAt, type Interval } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import type { Counter } from '../../../lambdas/store/counters/counters.ts';
import type { Limits } from '../../../lambdas/store/counters/limits.ts';

export interface Spending {
  spent_rub: Record<Interval, string>;
  /** Amount held for requests that are not settled yet. */
  held_rub: string;
}

export function spendingOf(counter: Counter): Spending {
  const windows = windowsAt(nowMs());
  const { lifetime } = windows;
  return {
    spent_rub: byInterval((interval) => counter.spent(windows[interval]).toString()),
    held_rub: counter.committed(lifetime).minus(counter.spent(lifetime)).toString(),
  };
}

export function spendingColumns({ spent_rub: spent }: Spending) {
  return { today_rub: spent.daily, month_rub: spent.monthly, total_rub: spent.lifetime };
}

/** Returns the use of a limit in its current period. */
export function limitUsageOf(counter: Counter, interval: Interval, limit: Money) {
  const window = windowsAt(nowMs())[interval];
  const [spent, committed] = [counter.spent(window), counter.committed(window)];
  const left = Money.max(Money.zero, limit.minus(committed));
  return {
    limit_rub: limit.toString(),
    spent_rub: spent.toString(),
    held_rub: committed.minus(spent).toString(),
    left_rub: left.toString(),
    used_percent: usedPercent(committed, limit),
  };
}

/** Returns the used percentage, rounded down, so that only a used-up limit has 100 or more. A limit of zero has 100. */
function usedPercent(committed: Money, limit: Money): number {
  if (limit.isZero) return 100;
  return Number((committed.pico * 100n) / limit.pico);
}

/** Formats limits for a table cell, for example "10 daily, 100 monthly". */
export function limitsText(limits: Record<string, string>): string {
  return Object.entries(limits)
    .map(([interval, limit]) => `${limit} ${interval}`)
    .join(', ');
}

/** Returns the limits by period as text; periods without a limit are absent. */
export function limitTexts(limits: Limits): Record<string, string> {
  return Object.fromEntries(Object.entries(limits).map(([interval, limit]) => [interval, limit.toString()]));
}

function byInterval(valueOf: (interval: Interval) => string): Record<Interval, string> {
  return Object.fromEntries(intervals.map((interval) => [interval, valueOf(interval)])) as Record<Interval, string>;
}
