/** Days in the reader's language. */

/** A day without a time, as `2026-10-31`. */
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Days of the books are those of UTC, wherever they are read; a moment is on the reader's own day. */
export function dayText(time: string | number, locale: string): string {
  const isDate = typeof time === 'string' && DATE.test(time);
  return new Date(time).toLocaleDateString(locale, { dateStyle: 'medium', ...(isDate && { timeZone: 'UTC' }) });
}
