/**
 * Options for writing CSV: UTF-8, RFC 4180, line feeds. Amounts are plain decimals with all their digits, never
 * floating point.
 *
 * Guarantee: the same cells give the same bytes.
 */

import type { Options } from 'csv-stringify/sync';
import { Money } from '../money/money.ts';

/** Value of a cell; null is an empty cell. */
export type CsvCell = string | number | boolean | Money | null;
export type CsvRow = readonly CsvCell[];

/** Reader of a file. `plain`: programs. `ru`: spreadsheets with Russian settings. */
export const locales = ['plain', 'ru'] as const;
export type Locale = (typeof locales)[number];

/**
 * Matches text that a spreadsheet may read as a formula, even after white space. Some spreadsheets also accept
 * full-width forms of `=`, `+`, `-` and `@`.
 */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Returns a text that a spreadsheet does not read as a formula. For texts chosen by people, such as names. */
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
