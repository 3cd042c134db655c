/**
 * Reads JSON of others without failing: what is not as expected is absent. Where it must not be otherwise, providers/shapes.ts
 * reads it, and says so.
 */

import { isRawNumber } from './exact-json.ts';

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
