/**
 * How much a provider may write for the tokens that it was asked for. The longest tokens there are stand for runs of
 * blanks or dashes; an answer is not made of them. What goes beyond this was not asked for: the answer ends there, as it
 * would at max_tokens.
 */
const MAX_BYTES_PER_TOKEN = 64;
const SLACK_BYTES = 64 * 1024;
/** No answer is larger, whoever asked for it: it may have to be kept as a whole. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function writableBytes(maxOutputTokens: number): number {
  return Math.min(maxOutputTokens * MAX_BYTES_PER_TOKEN + SLACK_BYTES, MAX_ANSWER_BYTES);
}
