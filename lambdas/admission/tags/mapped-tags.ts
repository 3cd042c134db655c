/**
 * Tags from fields and headers that clients send for other purposes: the end user, the session and the trace.
 *
 * An invalid value is never an error. It is recorded as its SHA-256 hash. If the key protects sensitive data, every
 * value is hashed, because the id of an end user may be an e-mail address.
 */

import { createHash } from 'node:crypto';
import { tagValueRule } from '../../platform/tag-rules.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { obeys } from '../../platform/text-rule.ts';
import { sessionOf, withoutSession, type SentHeaders } from '../../messages/session-names.ts';

/** Maximum length of a value in characters; longer values are ignored. */
const MAX_MAPPED_CHARACTERS = 4_096;

/** The header `traceparent` (W3C Trace Context) with its trace id; an id of zeros is invalid. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/**
 * Returns the tags `user`, `session` and `trace`, as far as the request has them.
 * @param body parsed body, before its validation
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
  return hashedTag(value);
}

export function hashedTag(value: string): string {
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}
