/**
 * Reads values in a provider's JSON as an expected type. Absent values and null count as empty, except in `asRecord`. A
 * value of any other type throws an UpstreamError.
 */

import { isRawNumber } from '../platform/json/exact-json.ts';
import { isRecord } from '../platform/json/foreign-json.ts';
import { UpstreamError } from './http/upstream-error.ts';

/** @throws {UpstreamError} unless the value is an object */
export function asRecord(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw unreadable();
}

export function asOptionalRecord(value: unknown): Record<string, unknown> | undefined {
  return value === undefined || value === null ? undefined : asRecord(value);
}

/** @throws {UpstreamError} unless the value is a list, null or absent */
export function asList(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw unreadable();
}

/** @throws {UpstreamError} unless the value is a text, null or absent */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unreadable();
}

/**
 * Reads the id of a tool call. GLM sends a number, whose digits become the id.
 * @throws {UpstreamError} unless the value is a number, a text, null or absent
 */
export function asCallId(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' ? String(value) : asText(value);
}

/**
 * Reads the arguments of a tool call: JSON as a text, or an object (GigaChat).
 * @throws {UpstreamError} unless the value is an object, a text, null or absent
 */
export function asArguments(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(asRecord(value)) : asText(value);
}

function unreadable(): UpstreamError {
  return new UpstreamError('malformed', 'The provider sent an answer in an unknown form');
}
