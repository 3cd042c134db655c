/** All times are in UTC, like the days of the books. */

export function dayText(time: string | number, locale: string): string {
  return new Date(time).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

/** Formats only the time of day, for rows under a heading with the date. */
export function clockText(time: string | number, locale: string): string {
  return new Date(time).toLocaleTimeString(locale, { timeStyle: 'medium', timeZone: 'UTC' });
}

export function timeText(time: string | number, locale: string): string {
  const text = new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  return `${text}\u00a0UTC`;
}
