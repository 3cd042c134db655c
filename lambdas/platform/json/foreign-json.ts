/**
 * Reads JSON that the gateway did not write, for example JSON of a provider. A value of an unexpected type counts as
 * absent.
 */

import { isRawNumber, measureJson, readExactly } from './exact-json.ts';

/** Maximum number of values of one document or event, which bounds memory. */
const MAX_FOREIGN_VALUES = 100_000;

/**
 * Parses JSON of a provider.
 * @throws {SyntaxError} for a text that is not JSON, or has more than MAX_FOREIGN_VALUES values
 */
export function parseForeign(text: string): unknown {
  // A shorter text cannot have too many values, because all values except the last take two characters.
  const mayHaveMore = text.length > 2 * MAX_FOREIGN_VALUES;
  if (mayHaveMore && measureJson(text, MAX_FOREIGN_VALUES).values > MAX_FOREIGN_VALUES) {
    throw new SyntaxError(`more than ${MAX_FOREIGN_VALUES} values`);
  }
  return JSON.parse(text);
}

/**
 * Parses JSON with values that a model wrote. Its numbers keep all their digits.
 * @throws {SyntaxError} as `readExactly` does
 */
export function parseForeignExactly(text: string): unknown {
  return readExactly(text, MAX_FOREIGN_VALUES);
}

/** Returns whether a value is an object, and neither a list nor an inexact number (exact-json.ts). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Returns the value if it is a list, otherwise an empty list. */
export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Converts a JSON number, or a text that contains a number, to a number. An empty or blank text becomes 0. Returns NaN
 * for all other values.
 */
export function numberOrNaN(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
}

/** Returns the value if it is a non-empty text, otherwise undefined. */
export function textOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
