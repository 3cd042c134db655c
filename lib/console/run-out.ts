import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';

export const DAYS_OF_PACE = 7;
/** If a limit lasts for more days than this, no date is shown. */
const MAX_RUN_OUT_DAYS = 3_650;

export type RunOut = { kind: 'no_pace' } | { kind: 'is_out' } | { kind: 'lasts' } | { kind: 'at'; atMs: number };

/** Spending in the last completed days since the creation of the owner (such as a key). */
export interface Pace {
  spent: Money;
  days: number;
}

/**
 * Estimates when a limit runs out; `lasts` if it resets earlier.
 * @param resetsAtMs undefined if the limit never resets
 */
export function runOutOf(remaining: Money, pace: Pace, nowMs: number, resetsAtMs?: number): RunOut {
  if (remaining.isZero || remaining.isNegative) return { kind: 'is_out' };
  if (pace.spent.isZero || pace.spent.isNegative) return { kind: 'no_pace' };
  // Remaining amount divided by the mean daily spending, in whole numbers.
  const durationMs = (remaining.pico * BigInt(pace.days * DAY_MS)) / pace.spent.pico;
  if (durationMs > BigInt(MAX_RUN_OUT_DAYS * DAY_MS)) return { kind: 'lasts' };
  const atMs = nowMs + Number(durationMs);
  return resetsAtMs !== undefined && atMs >= resetsAtMs ? { kind: 'lasts' } : { kind: 'at', atMs };
}

/** Returns the sums of rows by name, largest first. */
export function sumsBy<Row>(rows: readonly Row[], nameOf: (row: Row) => string, amountOf: (row: Row) => Money) {
  const sums = new Map<string, Money>();
  for (const row of rows) {
    const name = nameOf(row);
    sums.set(name, (sums.get(name) ?? Money.zero).plus(amountOf(row)));
  }
  return [...sums].toSorted(([, a], [, b]) => b.compare(a));
}
