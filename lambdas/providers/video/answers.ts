/** Reads answers of providers that make videos. Whatever they say, nothing here throws: nonsense is the provider's failure. */

import { isRawNumber, readExactly } from '../../platform/exact-json.ts';
import type { Polled, Submitted, VideoHttpAnswer } from './wire.ts';

const MAX_WORDS = 500;
const MAX_ID_CHARS = 512;
/** More are not what was asked for. */
const MAX_FILES = 8;
const RETRY_AFTER = /^\d{1,5}$/;

type Fields = Record<string, unknown>;

/** An object's fields; none where there is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
    ? (value as Fields)
    : {};
}

export function jobList(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_FILES) : [];
}

export function jobText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id as a text, also where it is a number that no double can hold. */
export function idOf(value: unknown): string | undefined {
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : jobText(value);
  return text !== undefined && text.length <= MAX_ID_CHARS ? text : undefined;
}

/** The body's fields, none where it is no JSON object. */
export function bodyOf({ text }: VideoHttpAnswer): Fields {
  try {
    return fieldsOf(readExactly(text));
  } catch {
    return {};
  }
}

export function isSuccess({ status }: VideoHttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A provider's words, or ours where it has none, at a length that a record can keep. */
export function wordsOf(value: unknown, otherwise: string): string {
  return (jobText(value) ?? otherwise).slice(0, MAX_WORDS);
}

/** Statuses that a request is at fault for; the others are those of the provider, or of our account there. */
const refusals = new Set([400, 413, 422]);

export function unsuccessful({ status }: VideoHttpAnswer, words: unknown): Submitted {
  const message = wordsOf(words, `The provider answered with status ${status}`);
  return refusals.has(status) ? { refused: message } : { failed: message };
}

export const noJob: Submitted = { failed: 'The provider answered without naming a job' };
export const noVideo: Polled = { state: 'failed', message: 'The provider said that the video is done, and gave none' };

export function working({ headers }: VideoHttpAnswer, usualSeconds?: number): Polled {
  const seconds = headers['retry-after'];
  const retryAfterSeconds = seconds !== undefined && RETRY_AFTER.test(seconds) ? Number(seconds) : usualSeconds;
  return { state: 'working', retryAfterSeconds };
}

/** No word about the job: also a 404 may be that of a proxy, and the job still cost money. */
export function unknown({ status }: VideoHttpAnswer): Polled {
  return { state: 'unknown', reason: `status ${status}` };
}

export function unknownState(state: unknown): Polled {
  return { state: 'unknown', reason: `state ${wordsOf(state, 'not told').slice(0, 40)}` };
}
