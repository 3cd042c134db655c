/**
 * Limits the size of an answer in bytes. One request to the provider (round) may write at most 64 KiB, plus 64 bytes
 * for each output token of its upper bound. The whole answer may have at most 32 MiB. An answer that exceeds a limit
 * ends as if it had reached max_tokens.
 */

import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Stop } from './early-end.ts';

const MAX_BYTES_PER_TOKEN = 64;
const SLACK_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface Limit {
  bytes: number;
  stop: Stop;
}

/**
 * Returns the limit at which the answer must end; undefined if all of it may be sent.
 * @param extraBytes size in bytes of the answer's other parts, such as search results and earlier rounds
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
