/**
 * Periods in which spending is counted. All periods are in UTC; weeks start on Monday.
 *
 * A window is a particular day, week or month, or the lifetime.
 */

export const DAY_MS = 86_400_000;

interface Recurring {
  prefix: string;
  startOf: (instantMs: number) => number;
  endOf: (startMs: number) => number;
  /** Returns the part of the window's name that identifies its start, in a form that Date.parse can read. */
  nameOf: (startMs: number) => string;
}

/** Recurring periods, from the shortest to the longest. */
const recurring = {
  daily: { prefix: 'day', startOf: startOfDay, endOf: (startMs) => startMs + DAY_MS, nameOf: utcDate },
  weekly: { prefix: 'week', startOf: startOfWeek, endOf: (startMs) => startMs + 7 * DAY_MS, nameOf: utcDate },
  monthly: {
    prefix: 'month',
    startOf: startOfMonth,
    endOf: nextMonth,
    nameOf: (startMs) => utcDate(startMs).slice(0, 7),
  },
} as const satisfies Record<string, Recurring>;

export type Reset = keyof typeof recurring;
export const resets = Object.keys(recurring) as [Reset, ...Reset[]];

export type Interval = Reset | 'lifetime';
export const intervals: readonly [Interval, ...Interval[]] = [...resets, 'lifetime'];

/** Names of the windows that contain a given time, for example day_2026-11-20, week_2026-11-16, month_2026-11. */
export type Windows = Readonly<Record<Interval, string>>;

/** Returns the UTC date as YYYY-MM-DD. */
export function utcDate(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

/** Returns the UTC dates from the first to the last, both included; empty if the last is earlier than the first. */
export function datesBetween(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
  return Array.from({ length: count }, (_, index) => utcDate(Date.parse(first) + index * DAY_MS));
}

let today: { startMs: number; windows: Windows } | undefined;

export function windowsAt(instantMs: number): Windows {
  const startMs = startOfDay(instantMs);
  // Caches the latest day, because nearly all calls are for the same day.
  if (today?.startMs !== startMs) today = { startMs, windows: windowsOfPeriods(startMs) };
  return today.windows;
}

function windowsOfPeriods(instantMs: number): Windows {
  const windows = { lifetime: 'lifetime' } as Record<Interval, string>;
  for (const reset of resets) {
    const { prefix, startOf, nameOf } = recurring[reset];
    windows[reset] = `${prefix}_${nameOf(startOf(instantMs))}`;
  }
  return windows;
}

/** Returns the end, in epoch ms, of the window that contains a time; null for a lifetime. */
export function windowEnd(interval: Interval, instantMs: number): number | null {
  if (interval === 'lifetime') return null;
  const { startOf, endOf } = recurring[interval];
  return endOf(startOf(instantMs));
}

/** Returns the UTC days of a named window, first to last; null for "lifetime" and unknown names. */
export function daysOfNamedWindow(name: string): string[] | null {
  const [, start] = name.split('_');
  const endMs = endOfNamedWindow(name);
  if (endMs === null) return null;
  return datesBetween(utcDate(Date.parse(start!)), utcDate(endMs - DAY_MS));
}

/** Returns the end of a named window, in epoch milliseconds; null for "lifetime" and unknown names. */
export function endOfNamedWindow(name: string): number | null {
  const [prefix, start] = name.split('_');
  const reset = resets.find((candidate) => recurring[candidate].prefix === prefix);
  return reset === undefined || start === undefined ? null : recurring[reset].endOf(Date.parse(start));
}

function startOfDay(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS) * DAY_MS;
}

function startOfWeek(instantMs: number): number {
  const midnight = startOfDay(instantMs);
  const daysSinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  return midnight - daysSinceMonday * DAY_MS;
}

function startOfMonth(instantMs: number): number {
  return firstOfMonth(instantMs, 0);
}

function nextMonth(startMs: number): number {
  return firstOfMonth(startMs, 1);
}

function firstOfMonth(instantMs: number, monthsLater: number): number {
  const at = new Date(instantMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsLater, 1);
}
