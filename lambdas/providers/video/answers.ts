/** Reads answers of providers that make videos. Whatever they say, nothing here throws: nonsense is the provider's failure. */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { parseForeignExactly, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import type { Polled, Submitted, VideoHttpAnswer } from './wire.ts';

const MAX_ANSWER_WORDS = 500;
const MAX_ID_CHARS = 512;
/** More are not what was asked for. */
const MAX_ANSWER_FILES = 8;
const VIDEO_RETRY_AFTER = /^\d{1,5}$/;

export function jobList(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ANSWER_FILES) : [];
}

/** An id as a text, also where it is a number that no double can hold. */
export function idOf(value: unknown): string | undefined {
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : textOrAbsent(value);
  return text !== undefined && text.length <= MAX_ID_CHARS ? text : undefined;
}

/** The body's fields, none where it is no JSON object. */
export function bodyOf({ text }: VideoHttpAnswer): Record<string, unknown> {
  try {
    return recordOrEmpty(parseForeignExactly(text));
  } catch {
    return {};
  }
}

export function isSuccess({ status }: VideoHttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A provider's words, or ours where it has none, at a length that a record can keep. */
export function providerMessage(value: unknown, otherwise: string): string {
  return (textOrAbsent(value) ?? otherwise).slice(0, MAX_ANSWER_WORDS);
}

/** Statuses that a request is at fault for; the others are those of the provider, or of our account there. */
const videoRefusals = new Set([400, 413, 422]);

export function unsuccessful({ status }: VideoHttpAnswer, words: unknown): Submitted {
  const message = providerMessage(words, `The provider answered with status ${status}`);
  return videoRefusals.has(status) ? { refused: message } : { failed: message };
}

export const noJob: Submitted = { failed: 'The provider answered without naming a job' };
export const noVideo: Polled = { state: 'failed', message: 'The provider said that the video is done, and gave none' };

export function working({ headers }: VideoHttpAnswer, typicalSeconds?: number): Polled {
  const seconds = headers['retry-after'];
  const retryAfterSeconds = seconds !== undefined && VIDEO_RETRY_AFTER.test(seconds) ? Number(seconds) : typicalSeconds;
  return { state: 'working', retryAfterSeconds };
}

/** No word about the job: also a 404 may be that of a proxy, and the job still cost money. */
export function unknownPollResult({ status }: VideoHttpAnswer): Polled {
  return { state: 'unknown', reason: `status ${status}` };
}

export function unknownState(state: unknown): Polled {
  return { state: 'unknown', reason: `state ${providerMessage(state, 'not told').slice(0, 40)}` };
}
