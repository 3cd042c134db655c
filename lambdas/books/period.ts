import { DAY_MS, datesBetween, utcDate } from '../money/periods.ts';
import { GatewayError } from '../platform/errors.ts';

const MAX_PERIOD_DAYS = 400;

/** `endMs` is the start of the next day. */
interface CalendarDay {
  date: string;
  startMs: number;
  endMs: number;
}

export interface Period {
  from: string;
  to: string;
  /** Name of a time zone in the IANA database, such as "Europe/Moscow", or "UTC". */
  zone: string;
  startMs: number;
  /** End of the last day, in epoch milliseconds, excluded. */
  endMs: number;
  days: readonly CalendarDay[];
}

/**
 * Creates a period.
 * @throws {GatewayError} 400 for an unknown time zone, for days in the wrong order, and for too many days
 */
export function periodOf({ from, to, zone = 'UTC' }: { from: string; to: string; zone?: string | undefined }): Period {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (count < 1)
    throw new GatewayError('invalid_request', `The first day, ${from}, is later than the last day, ${to}.`);
  if (count > MAX_PERIOD_DAYS) {
    throw new GatewayError(
      'invalid_request',
      `The period from ${from} to ${to} has more than ${MAX_PERIOD_DAYS} days. Request shorter periods.`,
    );
  }
  const dates = datesBetween(from, utcDate(Date.parse(to) + DAY_MS));
  const starts = dates.map((date) => startOfDay(date, zone));
  const days = dates
    .slice(0, -1)
    .map((date, index): CalendarDay => ({ date, startMs: starts[index]!, endMs: starts[index + 1]! }));
  return { from, to, zone, startMs: starts[0]!, endMs: starts.at(-1)!, days };
}

/** Returns the first and the last day of a month such as "2026-10". */
export function daysOfMonth(month: string): { from: string; to: string } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: `${month}-01`, to: utcDate(Date.UTC(year, number, 0)) };
}

/** Returns the UTC days that a period overlaps, in order. */
export function utcDaysOf({ startMs, endMs }: Period): string[] {
  return datesBetween(utcDate(startMs), utcDate(endMs - 1));
}

/**
 * Returns a function that finds the day of a time in epoch milliseconds. It returns undefined outside the period, and
 * is fast if consecutive calls are for the same day.
 */
export function dayFinder({ days }: Period): (atMs: number) => string | undefined {
  let last: CalendarDay | undefined;
  return (atMs) => {
    if (!last || atMs < last.startMs || atMs >= last.endMs) {
      last = days.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
    }
    return last?.date;
  };
}

/**
 * Returns the start of a day in a time zone, in epoch milliseconds.
 * @throws {GatewayError} 400 for an unknown time zone
 */
function startOfDay(date: string, zone: string): number {
  const midnight = Date.parse(date);
  if (zone === 'UTC') return midnight;
  const offset = offsetMs(zone, midnight);
  // Computes the offset again, because it may change between midnight in UTC and midnight in the zone.
  const start = midnight - offsetMs(zone, midnight - offset);
  // If clocks are set forward at midnight, that midnight does not exist, and the day begins after the change.
  return dateIn(zone, start) < date ? midnight - offset : start;
}

/** Returns how far the zone's clocks are ahead of UTC, in ms. */
function offsetMs(zone: string, atMs: number): number {
  const part = Object.fromEntries(
    clockOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = part as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(atMs / 1_000) * 1_000;
}

/**
 * Returns the date in a time zone at a time in epoch milliseconds.
 * @throws {GatewayError} 400 for an unknown time zone
 */
export function dateIn(zone: string, atMs: number): string {
  return utcDate(atMs + offsetMs(zone, atMs));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  try {
    const numeric = 'numeric';
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    clocks.set(zone, clock);
    return clock;
  } catch {
    throw new GatewayError(
      'invalid_request',
      `"${zone.slice(0, 60)}" is not a known time zone. Use a name such as Europe/Moscow, or UTC.`,
    );
  }
}
