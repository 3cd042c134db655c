/** Reads values in a provider's JSON. Absent values and null count as empty, except in `asRecord`. */

import { isRawNumber } from '../platform/json/exact-json.ts';
import { isRecord } from '../platform/json/foreign-json.ts';
import { UpstreamError } from './http/upstream-error.ts';

/**
 * Returns a value that must be an object.
 * @throws {UpstreamError} unless the value is an object
 */
export function asRecord(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw unreadable();
}

export function asOptionalRecord(value: unknown): Record<string, unknown> | undefined {
  return value === undefined || value === null ? undefined : asRecord(value);
}

/**
 * Returns a list; empty if the value is null or absent.
 * @throws {UpstreamError} for any other value
 */
export function asList(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw unreadable();
}

/**
 * Returns the objects in a list. Null elements are dropped: MiniMax sends them
 * (https://github.com/odysseus-dev/odysseus/pull/2389).
 * @throws {UpstreamError} for any other element, or if the value is not a list
 */
export function asRecords(value: unknown): Record<string, unknown>[] {
  return asList(value)
    .filter((one) => one !== null)
    .map(asRecord);
}

/**
 * Returns a text; empty if the value is null or absent.
 * @throws {UpstreamError} for any other value
 */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unreadable();
}

/**
 * Reads the id of a tool call. GLM sends numbers.
 * @throws {UpstreamError} unless the value is a number, a text, null or absent
 */
export function asCallId(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' ? String(value) : asText(value);
}

/**
 * Returns the arguments of a tool call as text. Most providers send JSON as a text, GigaChat sends an object.
 * @throws {UpstreamError} unless the value is an object, a text, null or absent
 */
export function asArguments(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(asRecord(value)) : asText(value);
}

function unreadable(): UpstreamError {
  return new UpstreamError('malformed', 'The provider sent an answer in an unknown form');
}
