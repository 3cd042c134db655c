import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { asList, asOptionalRecord, asText } from '../shapes.ts';

export type Likely = Omit<TokenLogprob, 'top_logprobs'>;

/** Maximum number of alternative tokens per position. Known APIs let clients request at most this number. */
export const MAX_ALTERNATIVES = 20;

/** Returns the tokens with a numeric probability; undefined if there are none. */
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
