/** Errors of Google's services: https://google.aip.dev/193. */

import type { WireRefusal } from '../wire.ts';
import { errorIn, refusalFrom } from '../translated/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** @param body any value that was read as JSON: an error, or a list with one */
export function geminiRefusal(body: unknown): WireRefusal {
  const { status, details } = recordOrEmpty(errorIn(body));
  const notes = Array.isArray(details) ? details.map(recordOrEmpty) : [];
  return { ...refusalFrom(body), ...geminiFault(status, notes), ...waitOf(notes) };
}

/** Two kinds of 400 are no fault of the request: a bad key, and a project or a place that may not use the service. */
function geminiFault(status: unknown, notes: Record<string, unknown>[]): Partial<WireRefusal> {
  if (notes.some(({ reason }) => reason === 'API_KEY_INVALID')) return { type: 'authentication_error', status: 401 };
  return status === 'FAILED_PRECONDITION' ? { type: 'permission_error', status: 403 } : {};
}

/** A RetryInfo tells when to try again, as "34.4s". */
function waitOf(notes: Record<string, unknown>[]): Partial<WireRefusal> {
  const delay = notes.map(({ retryDelay }) => retryDelay).find((value) => typeof value === 'string');
  const seconds = /^(\d{1,5}(?:\.\d{1,9})?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? {} : { retryAfterSeconds: Math.ceil(Number(seconds)) };
}
