/**
 * CSV format of exported files: UTF-8, RFC 4180 with line feeds, amounts with all their digits. The locale `ru` has
 * semicolons, decimal commas and a byte order mark. The same cells produce the same bytes.
 */

import type { Options } from 'csv-stringify/sync';
import { Money } from '../money/money.ts';

export type CsvCell = string | number | boolean | Money | null;
export type CsvRow = readonly CsvCell[];

/** `plain` is for programs, `ru` for spreadsheets with Russian settings. */
export const locales = ['plain', 'ru'] as const;
export type Locale = (typeof locales)[number];

/**
 * Matches text that a spreadsheet may read as a formula, even after white space. Some spreadsheets also accept
 * full-width forms of `=`, `+`, `-` and `@`.
 */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Adds an apostrophe to text that a spreadsheet may read as a formula. Use it for texts that people choose. */
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
