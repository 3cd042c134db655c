/**
 * Probabilities of the tokens of an answer, in the words of OpenAI's APIs. The Messages API has no place for them: where they were asked
 * for, deltas of text carry them, and so does the block that they become.
 */

interface Likely {
  token: string;
  logprob: number;
  bytes: number[] | null;
}

/** A token that was written, and others that would have been likely in its place. */
export interface TokenLogprob extends Likely {
  top_logprobs: Likely[];
}

/** The probabilities of a text; none where nobody has asked for them. */
export function logprobsOf(block: Readonly<Record<string, unknown>>): readonly TokenLogprob[] {
  return (block['logprobs'] as TokenLogprob[] | undefined) ?? [];
}
