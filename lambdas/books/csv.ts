/**
 * CSV format of exported files: UTF-8, RFC 4180, line feeds. Amounts are plain decimals with all their digits, never in
 * floating point. The locale `ru` has semicolons, decimal commas and a byte order mark.
 *
 * Guarantee: the same cells produce the same bytes.
 */

import type { Options } from 'csv-stringify/sync';
import { Money } from '../money/money.ts';

/** Value of a cell; null is an empty cell. */
export type CsvCell = string | number | boolean | Money | null;
export type CsvRow = readonly CsvCell[];

/**
 * Intended reader of a file. `plain`: programs. `ru`: spreadsheets with Russian settings (semicolons, decimal commas).
 */
export const locales = ['plain', 'ru'] as const;
export type Locale = (typeof locales)[number];

/**
 * Matches text that a spreadsheet may read as a formula, even after white space. Some spreadsheets also accept
 * full-width forms of `=`, `+`, `-` and `@`.
 */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/**
 * Adds an apostrophe to text that a spreadsheet may read as a formula. Used for text that people choose, such as names.
 */
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
