/**
 * Probabilities of an answer's tokens, in the format of OpenAI's APIs. The Messages API has no field for probabilities.
 * If a client requests them, text deltas, and the blocks that are assembled from these deltas, have an extra field.
 */

interface Likely {
  token: string;
  logprob: number;
  bytes: number[] | null;
}

/** A token of the answer, and the likely alternatives at its position. */
export interface TokenLogprob extends Likely {
  top_logprobs: Likely[];
}

/** Returns the token probabilities of a text block; empty unless the client requested them. */
export function logprobsOf(block: Readonly<Record<string, unknown>>): readonly TokenLogprob[] {
  return (block['logprobs'] as TokenLogprob[] | undefined) ?? [];
}
