/**
 * Limits the length of an answer: by the bytes that a provider may write for the requested tokens, and by the hold. The
 * longest tokens stand for runs of blanks or dashes, and an answer does not consist of them. Output beyond the limit
 * was not requested, so the answer ends there, as it would at max_tokens.
 */

import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Stop } from './early-end.ts';

const MAX_BYTES_PER_TOKEN = 64;
const SLACK_BYTES = 64 * 1024;
/** Upper bound on every answer, even if more was requested, because it may have to be kept as a whole. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** How many bytes of an answer may be sent, and why it ends after them. */
export interface Limit {
  bytes: number;
  stop: Stop;
}

/**
 * The limit of an answer of this size; undefined if all of it may be sent.
 * @param extraBytes bytes that the model did not write
 */
export function answerLimitOf(
  extender: HoldExtender,
  maxOutputTokens: number,
  { writtenBytes, extraBytes }: { writtenBytes: number; extraBytes: number },
): Limit | undefined | Promise<Limit | undefined> {
  const bytes = Math.min(maxOutputTokens * MAX_BYTES_PER_TOKEN + SLACK_BYTES, MAX_MESSAGE_BYTES);
  const isTooLarge = writtenBytes + extraBytes > MAX_MESSAGE_BYTES;
  if (writtenBytes > bytes || isTooLarge) return { bytes, stop: { ending: 'complete' } };
  const limitBy = (failure: GatewayError | undefined): Limit | undefined =>
    failure && { bytes: extender.coveredBytes, stop: { ending: 'out_of_money', failure } };
  const covering = extender.cover(writtenBytes);
  return covering instanceof Promise ? covering.then(limitBy) : limitBy(covering);
}
