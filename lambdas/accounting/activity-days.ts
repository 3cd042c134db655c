import { DAY_MS, utcDate } from '../money/periods.ts';

export const DAYS_SHOWN = 30;

/** Returns the last completed UTC days, oldest first. */
export function completedDays(atMs: number): string[] {
  return Array.from({ length: DAYS_SHOWN }, (_, index) => utcDate(atMs - (DAYS_SHOWN - index) * DAY_MS));
}

export function isCompleted(date: string, atMs: number): boolean {
  return date < utcDate(atMs);
}

export function dayBefore(date: string): string {
  return daysBefore(date, 1);
}

export function daysBefore(date: string, days: number): string {
  return utcDate(Date.parse(date) - days * DAY_MS);
}
