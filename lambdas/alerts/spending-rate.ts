import { Money } from '../money/money.ts';
import { DAY_MS, windowEnd, windowsAt, type Interval } from '../money/periods.ts';
import type { Counter } from '../store/counters/counters.ts';

const RATE_HOUR_MS = 3_600_000;
/** Minimum time in ms by which spending is divided, so that one request at the start of a window is not a high rate. */
const MIN_RATE_MS = RATE_HOUR_MS / 12;
/** Maximum time in ms until the estimated exhaustion of a lifetime limit; later estimates are too unreliable. */
const MAX_AHEAD_MS = 365 * DAY_MS;

export interface SpendingRate {
  /** Average spending per hour. */
  hourly: Money;
  /**
   * Estimated time of exhaustion in epoch ms. Undefined if nothing is spent, if the window ends earlier, or for a
   * lifetime, if the time is more than a year away.
   */
  exhaustedAtMs: number | undefined;
  /** End of the window in epoch ms; null for a lifetime. */
  endsAtMs: number | null;
}

/**
 * Computes the average rate of spending since the start of a window. For a lifetime, whose start is not stored, the
 * average of today or of this week is used, whichever is higher.
 */
export function spendingRate(
  counter: Counter,
  { interval, room, atMs }: { interval: Interval; room: Money; atMs: number },
): SpendingRate {
  const rates = (interval === 'lifetime' ? (['daily', 'weekly'] as const) : [interval]).map((one) =>
    hourlyIn(counter, one, atMs),
  );
  const hourly = Money.max(rates[0]!, ...rates.slice(1));
  const endsAtMs = windowEnd(interval, atMs);
  if (hourly.pico <= 0n) return { hourly, exhaustedAtMs: undefined, endsAtMs };
  const left = room.isNegative ? 0n : room.pico;
  const exhaustedAtMs = atMs + Number((left * BigInt(RATE_HOUR_MS)) / hourly.pico);
  return {
    hourly,
    exhaustedAtMs: exhaustedAtMs < (endsAtMs ?? atMs + MAX_AHEAD_MS) ? exhaustedAtMs : undefined,
    endsAtMs,
  };
}

function hourlyIn(counter: Counter, interval: Exclude<Interval, 'lifetime'>, atMs: number): Money {
  const spent = counter.spent(windowsAt(atMs)[interval]);
  const sinceMs = Math.max(MIN_RATE_MS, atMs - windowStartMs(interval, atMs));
  return Money.fromPico((spent.pico * BigInt(RATE_HOUR_MS)) / BigInt(Math.round(sinceMs)));
}

function windowStartMs(interval: Exclude<Interval, 'lifetime'>, atMs: number): number {
  // Parses the last part of the window's name, which is its first day or its month.
  return Date.parse(windowsAt(atMs)[interval].split('_')[1]!);
}
