/** Errors of upstreams, in a body of their own or inside an answer. */

import { errorKinds, kindOfStatus, type ErrorKind } from '../../platform/errors.ts';
import type { WireRefusal } from '../wire.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** Stands in the place of a provider's words where it has none. */
export const UNSAID_REFUSAL = 'The provider refused the request without saying why';

/**
 * Error bodies differ: {"error":{"message"}}, {"error":"text"}, {"message"}, {"detail"}, or a list of one of them.
 * @param body any value that was read as JSON
 */
export function refusalFrom(body: unknown): WireRefusal {
  const envelope = errorEnvelopeIn(body);
  const refusal = providerError(errorIn(body));
  if (refusal.message !== UNSAID_REFUSAL) return refusal;
  const detail = envelope['message'] ?? envelope['detail'];
  return typeof detail === 'string' && detail !== '' ? { ...refusal, message: detail } : refusal;
}

/** The refusal in the text of a body. */
export function readErrorBody(text: string, read: (body: unknown) => WireRefusal): WireRefusal {
  try {
    return read(JSON.parse(text));
  } catch {
    // Not JSON: a proxy in front of the provider answered.
    return read(undefined);
  }
}

/** The error in such a body. */
export function errorIn(body: unknown): unknown {
  const envelope = errorEnvelopeIn(body);
  return envelope['error'] ?? envelope;
}

function errorEnvelopeIn(body: unknown): Record<string, unknown> {
  return recordOrEmpty(Array.isArray(body) ? body[0] : body);
}

/** The kind of an error as the Messages API names it, and the provider's own words. */
export function providerError(error: unknown): WireRefusal {
  const { message, type, code, status } = typeof error === 'string' ? { message: error } : recordOrEmpty(error);
  const kinds = [type, code, status].filter((kind) => typeof kind === 'string').join(' ');
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600);
  return {
    type: errorType(kinds, number),
    message: typeof message === 'string' && message !== '' ? message : UNSAID_REFUSAL,
  };
}

/** Numbers that providers put into an answer, and the status that each stands for. Others say nothing of the request. */
const statuses: Record<number, number> = {
  ...Object.fromEntries([400, 401, 402, 403, 404, 413, 429, 504, 529].map((status) => [status, status])),
  422: 400,
  503: 529,
};

const kindsByWord: [RegExp, ErrorKind][] = [
  [/rate.?limit|resource_exhausted|too_many_requests/i, 'rate_limit_exceeded'],
  [/overload|unavailable|capacity/i, 'provider_overloaded'],
  [/authentication|invalid_api_key|unauthorized/i, 'authentication'],
  [/permission|forbidden/i, 'permission_denied'],
  [/insufficient_quota|billing/i, 'payment_required'],
  [/invalid_request|invalid_argument|context_length/i, 'invalid_request'],
];

function errorType(words: string, number: number | undefined): string | undefined {
  const byWord = kindsByWord.find(([pattern]) => pattern.test(words))?.[1];
  const status = number === undefined ? undefined : statuses[number];
  const kind = byWord ?? (status === undefined ? undefined : kindOfStatus(status));
  return kind && errorKinds[kind].messagesType;
}
