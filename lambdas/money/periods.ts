/**
 * Periods in which spending is counted. All of them are UTC; weeks start on Monday.
 *
 * A window is named by its period and first day, so a counter resets by being named differently: there is no reset job
 * that could run late, twice or never.
 */
export const intervals = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type Interval = (typeof intervals)[number];

/** The names of the four windows that an instant falls into, e.g. day_2026-11-20, week_2026-11-16, month_2026-11. */
export type Windows = Record<Interval, string>;

const DAY_MS = 86_400_000;

/** UTC date as YYYY-MM-DD. */
export function utcDate(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

export function windowsAt(instantMs: number): Windows {
  const date = utcDate(instantMs);
  return {
    daily: `day_${date}`,
    weekly: `week_${utcDate(mondayOf(instantMs))}`,
    monthly: `month_${date.slice(0, 7)}`,
    lifetime: 'lifetime',
  };
}

/** When the window around an instant ends, in epoch milliseconds; null for a lifetime. */
export function windowEnd(interval: Interval, instantMs: number): number | null {
  const midnight = startOfDay(instantMs);
  switch (interval) {
    case 'daily':
      return midnight + DAY_MS;
    case 'weekly':
      return mondayOf(instantMs) + 7 * DAY_MS;
    case 'monthly': {
      const at = new Date(instantMs);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
    }
    case 'lifetime':
      return null;
  }
}

/** The end of a window given by its name, in epoch milliseconds; null for "lifetime" and unknown names. */
export function endOfNamedWindow(name: string): number | null {
  const [period, start] = name.split('_');
  if (start === undefined) return null;
  if (period === 'day') return Date.parse(start) + DAY_MS;
  if (period === 'week') return Date.parse(start) + 7 * DAY_MS;
  if (period === 'month') return windowEnd('monthly', Date.parse(`${start}-01`));
  return null;
}

function startOfDay(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS) * DAY_MS;
}

function mondayOf(instantMs: number): number {
  const midnight = startOfDay(instantMs);
  const daysSinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  return midnight - daysSinceMonday * DAY_MS;
}
