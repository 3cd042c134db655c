/** Reads answers of providers that make videos. Whatever they say, nothing here throws: nonsense is the provider's failure. */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { parseForeignExactly, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { classifyError } from '../faults/classify.ts';
import type { FaultKind } from '../faults/fault-rule.ts';
import { retryAfterSeconds } from '../faults/retry-after.ts';
import { errorInText } from '../faults/stated-error.ts';
import type { Polled, Submitted, VideoHttpAnswer } from './wire.ts';

const MAX_ANSWER_WORDS = 500;
const MAX_ID_CHARS = 512;
/** More are not what was asked for. */
const MAX_ANSWER_FILES = 8;

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

/** Statuses behind which a submission may have arrived: a proxy's, whose provider did not answer in time, and a failure in the middle. */
const uncertainStatuses = new Set([408, 500, 502, 504, 520, 522, 524]);

/** A submission that was not accepted: by whose fault, and whether that is certain. */
export function unsuccessful({ status, text }: VideoHttpAnswer, words: unknown, providerId: VideoFamily): Submitted {
  const message = providerMessage(words, `The provider answered with status ${status}`);
  const error = errorInText(text);
  const httpStatus = status >= 400 ? status : undefined;
  const { fault } = classifyError(error, { providerId, httpStatus });
  if (requestFaultsOfVideos.has(fault)) return { refused: message };
  if (fault === 'operator' || fault === 'catalog') return { failed: message, fault };
  return uncertainStatuses.has(status) ? { uncertain: message } : { failed: message };
}

/** Families that number or word errors of videos in their own way. */
type VideoFamily = 'google' | 'minimax' | 'runway' | 'video';

const requestFaultsOfVideos = new Set<FaultKind>(['request', 'elsewhere', 'context', 'size', 'reasoning']);

/** It has answered with a success, so it may have accepted the job. */
export const noJob: Submitted = { uncertain: 'The provider answered without naming a job' };
export const noVideo: Polled = { state: 'failed', message: 'The provider said that the video is done, and gave none' };

export function working({ headers }: VideoHttpAnswer, typicalSeconds?: number): Polled {
  const seconds = retryAfterSeconds(headers, undefined, false) ?? typicalSeconds;
  return { state: 'working', retryAfterSeconds: seconds };
}

/** No word about the job: also a 404 may be that of a proxy, and the job still cost money. */
export function unknownPollResult({ status }: VideoHttpAnswer): Polled {
  return { state: 'unknown', reason: `status ${status}` };
}

export function unknownState(state: unknown): Polled {
  return { state: 'unknown', reason: `state ${providerMessage(state, 'not told').slice(0, 40)}` };
}
