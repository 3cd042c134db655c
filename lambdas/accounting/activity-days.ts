import { DAY_MS, utcDate } from '../money/periods.ts';

/** How far back /activity looks. */
export const DAYS_SHOWN = 30;

/** The last completed UTC days, oldest first; today is never among them. */
export function completedDays(atMs: number): string[] {
  return Array.from({ length: DAYS_SHOWN }, (_, index) => utcDate(atMs - (DAYS_SHOWN - index) * DAY_MS));
}

export function isCompleted(date: string, atMs: number): boolean {
  return date < utcDate(atMs);
}

export function dayBefore(date: string): string {
  return utcDate(Date.parse(date) - DAY_MS);
}

/** The days from the first to the last, both included; none where they are in no order. */
export function datesBetween(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
  return Array.from({ length: count }, (_, index) => utcDate(Date.parse(first) + index * DAY_MS));
}
