/** Parses ISO days and times. `Date.parse` alone accepts days that do not exist: 2026-02-31 becomes 3 March. */

import * as z from 'zod';

const DAY_CHARS = 10;

/** Returns whether a text is an existing day, such as 2026-11-20. */
export function isDay(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

/** Returns an ISO time in ms since 1970; NaN if the text is not an ISO time of an existing day. */
export function isoTimeMs(text: string): number {
  return isDay(text.slice(0, DAY_CHARS)) ? Date.parse(text) : Number.NaN;
}
