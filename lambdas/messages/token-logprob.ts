/**
 * Token probabilities, in the format of OpenAI's APIs. The Messages API has no field for them, so text deltas and
 * blocks get an extra field.
 */

interface Likely {
  token: string;
  logprob: number;
  bytes: number[] | null;
}

export interface TokenLogprob extends Likely {
  top_logprobs: Likely[];
}

/** Returns the token probabilities of a block; empty unless the client requested them. */
export function logprobsOf(block: Readonly<Record<string, unknown>>): readonly TokenLogprob[] {
  return (block['logprobs'] as TokenLogprob[] | undefined) ?? [];
}
