/**
 * Probabilities of the tokens of an answer, in the format of OpenAI's APIs. The Messages API has no field for them. If
 * a client requests probabilities, text deltas carry them in an extra field, and so do the blocks built from these
 * deltas.
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
