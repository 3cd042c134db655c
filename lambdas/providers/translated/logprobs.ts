/** Probabilities of tokens, as providers that speak OpenAI's APIs tell them. */

import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { asList, asOptionalRecord, asText } from '../shapes.ts';

/** A token, and how likely it was. */
export type Likely = Omit<TokenLogprob, 'top_logprobs'>;

/** More than any API lets a client ask for. */
export const MAX_ALTERNATIVES = 20;

/** @returns undefined where there are none. A token without a number for its probability is left out. */
export function tokenLogprobs(value: unknown): TokenLogprob[] | undefined {
  const tokens = asList(value).flatMap((one): TokenLogprob[] => {
    const likely = likelyToken(one);
    const others = asList(asOptionalRecord(one)?.['top_logprobs']).slice(0, MAX_ALTERNATIVES);
    return likely.map((token) => ({ ...token, top_logprobs: others.flatMap(likelyToken) }));
  });
  return tokens.length > 0 ? tokens : undefined;
}

function likelyToken(value: unknown): Likely[] {
  const record = asOptionalRecord(value);
  const logprob = record?.['logprob'];
  if (record === undefined || typeof logprob !== 'number') return [];
  const bytes = asList(record['bytes']).filter((byte) => typeof byte === 'number');
  return [{ token: asText(record['token']), logprob, bytes: bytes.length > 0 ? bytes : null }];
}
