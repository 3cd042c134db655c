/**
 * Reads JSON of others without failing: what is not as expected is absent. Where it must not be otherwise, providers/shapes.ts
 * reads it, and says so.
 */

import { isRawNumber, measureJson, readExactly } from './exact-json.ts';

/** Values of one document or event: as many as a request for a message may have. Two bytes of JSON can make an object of fifty. */
const MAX_FOREIGN_VALUES = 100_000;

/** JSON of a provider. @throws {SyntaxError} also for more values than any answer has */
export function parseForeign(text: string): unknown {
  // Each value but the last takes two characters.
  const mayHaveMore = text.length > 2 * MAX_FOREIGN_VALUES;
  if (mayHaveMore && measureJson(text, MAX_FOREIGN_VALUES).values > MAX_FOREIGN_VALUES) {
    throw new SyntaxError(`more than ${MAX_FOREIGN_VALUES} values`);
  }
  return JSON.parse(text);
}

/** The same, if it contains values of a model's own: numbers keep their digits. */
export function parseForeignExactly(text: string): unknown {
  return readExactly(text, MAX_FOREIGN_VALUES);
}

/** Whether a value is an object: no list, and no number that was kept as its text. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** An object; an empty one in the place of anything else. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** A text that says something; undefined in the place of anything else. */
export function textOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
