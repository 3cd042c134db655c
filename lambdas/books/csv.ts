/**
 * CSV in this product's form: UTF-8, RFC 4180, LF. Amounts are plain decimals with all their digits, never floating
 * point.
 *
 * Guarantee: the same cells make the same bytes.
 */

import type { Options } from 'csv-stringify/sync';
import { Money } from '../money/money.ts';

/** A cell's value; null is an empty cell. */
export type CsvCell = string | number | boolean | Money | null;
export type CsvRow = readonly CsvCell[];

/** Target of a file: programs, or a spreadsheet with Russian settings. */
export const locales = ['plain', 'ru'] as const;
export type Locale = (typeof locales)[number];

/** Signs that begin a formula, also after whitespace. Some spreadsheets treat full-width signs the same way. */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Protects a text chosen by people, such as a name, so that a spreadsheet does not read it as a formula. */
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
