/** Times in the reader's language. All are of UTC, wherever they are read: so are the days of the books, and one clock is understood at once. */

export function dayText(time: string | number, locale: string): string {
  return new Date(time).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

export function timeText(time: string | number, locale: string): string {
  const text = new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  return `${text}\u00a0UTC`;
}
