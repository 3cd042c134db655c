/** All times are in UTC. */

const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;

const distances = [
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_SECONDS),
  ...[1, 2, 3, 5, 7, 10, 15, 30].map((days) => days * DAY_SECONDS),
];

/**
 * Returns evenly spaced marks between two times. If marks are at least a day apart, the last mark is at the last
 * midnight.
 * @param of.times in seconds since 1970, evenly spaced, earliest first
 * @param of.most maximum number of marks
 */
export function timeMarks({ times, most }: { times: readonly number[]; most: number }): number[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const step = times.length > 1 ? times[1]! - first : DAY_SECONDS;
  const possible = distances.filter((distance) => distance >= step);
  const distance = possible.find((one) => (last - first) / one < most) ?? possible.at(-1)!;
  const unit = distance < DAY_SECONDS ? distance : DAY_SECONDS;
  const end = Math.floor(last / unit) * unit;
  const count = Math.floor((end - first) / distance) + 1;
  return Array.from({ length: Math.max(1, count) }, (_, index) => end - index * distance).toReversed();
}

/** Returns a date for midnight, otherwise the time of day. */
export function markText(seconds: number, locale: string): string {
  const format: Intl.DateTimeFormatOptions =
    seconds % DAY_SECONDS === 0
      ? { day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Date(seconds * 1_000).toLocaleString(locale, { ...format, timeZone: 'UTC' });
}
