/**
 * Limits the length of an answer by its tokens, its size and the hold. An answer may have at most 64 KiB plus 64 bytes
 * per token of its upper bound; only tokens for runs of blanks or dashes are that long. Output beyond this limit was
 * not requested, so the answer ends at the limit, as at max_tokens.
 */

import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Stop } from './early-end.ts';

const MAX_BYTES_PER_TOKEN = 64;
const SLACK_BYTES = 64 * 1024;
/** Maximum size in bytes of any answer. The gateway may have to keep the whole answer in memory. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Maximum number of bytes of an answer, and the reason why the answer ends after them. */
export interface Limit {
  bytes: number;
  stop: Stop;
}

/**
 * Returns the limit that ends an answer of this size, or undefined if the whole answer may be sent.
 * @param extraBytes size of the answer's other parts, such as search results and earlier rounds
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
