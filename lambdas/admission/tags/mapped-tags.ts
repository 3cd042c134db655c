/**
 * Tags that follow from fields and headers which clients send for other purposes: the end user, the session and the
 * trace of a request.
 *
 * An invalid value is never an error, because clients put any text into these fields. A value that does not follow the
 * rules of tags is recorded as its SHA-256 hash. If the key protects sensitive data, every value is recorded as its
 * hash. The id of an end user may be an e-mail address, which the gateway must not store for such a key.
 */

import { createHash } from 'node:crypto';
import { tagValueRule } from '../../platform/tag-rules.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { obeys } from '../../platform/text-rule.ts';
import { sessionOf, withoutSession, type SentHeaders } from '../../messages/session-names.ts';

/** Maximum length of a value in characters. Longer values are ignored: no known client sends such values. */
const MAX_MAPPED_CHARACTERS = 4_096;

/** Matches the header `traceparent` (W3C Trace Context) and its trace id. An id of zeros is invalid. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/**
 * Returns the mapped tags of a request: at most `user`, `session` and `trace`.
 * @param body parsed body, before its validation
 * @param isProtected whether the key protects sensitive data
 */
export function mappedTags(
  body: Record<string, unknown>,
  headers: SentHeaders,
  isProtected: boolean,
): [name: string, value: string][] {
  const { user, safety_identifier, session_id, prompt_cache_key, trace } = body;
  const sentUser = firstText(safety_identifier, user, recordOrEmpty(body['metadata'])['user_id']);
  const values = {
    user: sentUser && withoutSession(sentUser),
    session: sessionOf(firstText(session_id, prompt_cache_key), headers, sentUser),
    trace: firstText(recordOrEmpty(trace)['trace_id'], TRACEPARENT.exec(headers['traceparent'] ?? '')?.[1]),
  };
  return Object.entries(values).flatMap(([name, text]) => {
    const value = text && recordedValue(text, isProtected);
    return value ? [[name, value]] : [];
  });
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= MAX_MAPPED_CHARACTERS,
  );
}

function recordedValue(text: string, isProtected: boolean): string | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (!isProtected && obeys(tagValueRule, value)) return value;
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}
