/** Reads responses without throwing: an invalid response becomes a failed, uncertain or unknown result. */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { parseForeignExactly, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { blamesOperator, faultIn } from '../faults/answer-fault.ts';
import type { FaultKind } from '../faults/fault-rule.ts';
import { isLostByProxy } from '../faults/lost-by-proxy.ts';
import { retryAfterSeconds } from '../faults/retry-after.ts';
import type { Polled, Submitted, JobHttpAnswer } from '../job-wire.ts';

const MAX_MESSAGE_CHARS = 500;
const MAX_ID_CHARS = 512;
const MAX_ANSWER_FILES = 8;

export function jobList(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ANSWER_FILES) : [];
}

/** Returns a valid id. A number keeps its digits, because it may exceed the precision of a double. */
export function idOf(value: unknown): string | undefined {
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : textOrAbsent(value);
  return text !== undefined && text.length <= MAX_ID_CHARS ? text : undefined;
}

/** Returns the fields of the body; empty if the body is not a JSON object. */
export function bodyOf({ text }: JobHttpAnswer): Record<string, unknown> {
  try {
    return recordOrEmpty(parseForeignExactly(text));
  } catch {
    return {};
  }
}

export function isSuccess({ status }: JobHttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Returns the provider's message, shortened for the job's record; `otherwise` if there is none. */
function providerMessage(value: unknown, otherwise: string): string {
  return (textOrAbsent(value) ?? otherwise).slice(0, MAX_MESSAGE_CHARS);
}

/** HTTP statuses after which the provider may have accepted the job: timeouts, and failures during processing. */
const uncertainStatuses = new Set([408, 500, 502, 504, 520, 522, 524]);

/** Returns the result of a submission whose response names no job: refused, failed, or uncertain. */
export function unsuccessful(answer: JobHttpAnswer, stated: unknown, providerId: VideoFamily): Submitted {
  const { status, text } = answer;
  const message = providerMessage(stated, `The provider answered with status ${status}`);
  const fault = faultIn(answer, providerId);
  if (requestFaultsOfVideos.has(fault)) return { refused: message };
  if (fault === 'operator' || fault === 'catalog') return { failed: message, fault };
  // MiniMax reports timeouts and failures with status 200, and may have accepted the job nevertheless.
  const isInSuccess = status < 300 && (fault === 'timeout' || fault === 'failure');
  const isUncertain = isInSuccess || uncertainStatuses.has(status) || isLostByProxy(text);
  return isUncertain ? { uncertain: message } : { failed: message };
}

/** Families of video providers, which select the rules for errors. `video` has no rules of its own. */
type VideoFamily = 'google' | 'minimax' | 'runway' | 'video';

const requestFaultsOfVideos = new Set<FaultKind>(['request', 'elsewhere', 'context', 'size', 'reasoning']);

/** Result of a submission with a success status, but without a job id. The provider may have accepted the job. */
export const noJob: Submitted = { uncertain: 'The provider accepted the request, but returned no job id' };
/** Result of a poll of a job without files; `moderated` if content moderation stopped the job. */
export const noVideo: Polled = { state: 'failed' };
export const moderated: Polled = { state: 'failed', wasModerated: true };

export function working({ headers }: JobHttpAnswer, typicalSeconds?: number): Polled {
  const seconds = retryAfterSeconds(headers) ?? typicalSeconds;
  return { state: 'working', retryAfterSeconds: seconds };
}

/**
 * Returns the result of a poll that does not state the job's state. Even a 404 may come from a proxy, while the job
 * continues and costs money, so it does not concern the operator.
 * @param providerId selects the rules that find faults of the operator's account
 */
export function unknownPollResult(
  answer: JobHttpAnswer,
  providerId: VideoFamily,
  reason = `status ${answer.status}`,
): Polled {
  const fault = blamesOperator(answer, providerId) ? ({ fault: 'operator' } as const) : {};
  return { state: 'unknown', reason, ...fault };
}

export function unknownState(answer: JobHttpAnswer, providerId: VideoFamily, state: unknown): Polled {
  return unknownPollResult(answer, providerId, `state ${providerMessage(state, 'missing').slice(0, 40)}`);
}
