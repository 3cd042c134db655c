/**
 * Reads JSON of others without failing: unexpected values count as absent. If a value is required, providers/shapes.ts
 * reads it, and reports the fault.
 */

import { isRawNumber, measureJson, readExactly } from './exact-json.ts';

/**
 * Values of one document or event: as many as a Messages request may have. Two bytes of JSON can become an object of
 * fifty.
 */
const MAX_FOREIGN_VALUES = 100_000;

/**
 * Parses JSON of a provider.
 * @throws {SyntaxError} also for more values than any answer has
 */
export function parseForeign(text: string): unknown {
  // Each value except the last takes two characters.
  const mayHaveMore = text.length > 2 * MAX_FOREIGN_VALUES;
  if (mayHaveMore && measureJson(text, MAX_FOREIGN_VALUES).values > MAX_FOREIGN_VALUES) {
    throw new SyntaxError(`more than ${MAX_FOREIGN_VALUES} values`);
  }
  return JSON.parse(text);
}

/** The same for values written by a model: numbers keep their digits. */
export function parseForeignExactly(text: string): unknown {
  return readExactly(text, MAX_FOREIGN_VALUES);
}

/** Whether a value is an object, and neither a list nor a number that was kept as its text. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** The object itself; an empty one for any other value. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** A non-empty text; undefined for any other value. */
export function textOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
