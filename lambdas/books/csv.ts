/**
 * CSV as this product writes it: UTF-8, RFC 4180, LF. Amounts are plain decimals with all their digits, never floating point.
 *
 * Guarantee: the same cells make the same bytes.
 */

import type { Options } from 'csv-stringify/sync';
import { Money } from '../money/money.ts';

/** A cell's value; null is an empty one. */
export type CsvCell = string | number | boolean | Money | null;
export type CsvRow = readonly CsvCell[];

/** Where a file is read: by programs, or by a spreadsheet that is set up for Russian. */
export const locales = ['plain', 'ru'] as const;
export type Locale = (typeof locales)[number];

/** Signs that begin a formula, also behind blanks. Some spreadsheets read full-width signs like others. */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** A text that people have chosen, such as a name: a spreadsheet must not take it for a formula. */
export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function csvOptions(locale: Locale): Options {
  const point = (text: string) => (locale === 'ru' ? text.replace('.', ',') : text);
  return {
    record_delimiter: '\n',
    ...(locale === 'ru' ? { bom: true, delimiter: ';' } : {}),
    cast: {
      boolean: String,
      object: (value) => (value instanceof Money ? point(value.toString()) : JSON.stringify(value)),
    },
  };
}
