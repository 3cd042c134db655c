import { nowMs } from '../../platform/clock.ts';
import { GatewayError } from '../../platform/errors.ts';
import type { RateRefusal } from './rate-search.ts';

/** Value of Retry-After in seconds if a key has reached its limit on running requests. */
const PARALLEL_RETRY_SECONDS = 1;

const texts: Record<RateRefusal['limited'], { source: string; says: (most: number) => string; advice: string }> = {
  requests: {
    source: 'key_requests_per_minute',
    says: (most) => `This key has sent the ${most} requests that it may send in a minute (rpm_limit).`,
    advice: 'Send requests more slowly',
  },
  tokens: {
    source: 'key_tokens_per_minute',
    says: (most) =>
      `This key may use ${most} tokens in a minute (tpm_limit), and the rest of them is too few for this request with its longest answer.`,
    advice: 'Lower max_tokens',
  },
  parallel: {
    source: 'key_parallel_requests',
    says: (most) => `This key has ${most} running requests, and may not have more (parallel_limit).`,
    advice: 'Send the request when another has ended',
  },
};

/** Creates the 429 for a key that may send no request now. */
export function rateRefusalError({ limited, most, endsAtMs }: RateRefusal): GatewayError {
  const { source, says, advice } = texts[limited];
  const isParallel = limited === 'parallel';
  const seconds = isParallel ? PARALLEL_RETRY_SECONDS : Math.max(1, Math.ceil((endsAtMs - nowMs()) / 1_000));
  const until = isParallel ? '' : `, or wait until ${new Date(endsAtMs).toISOString()}`;
  return new GatewayError('rate_limit_exceeded', `${says(most)} ${advice}${until}.`, {
    metadata: {
      limit_source: source,
      limit: most,
      ...(isParallel ? {} : { resets_at: new Date(endsAtMs).toISOString() }),
    },
    headers: { 'retry-after': String(seconds) },
  });
}
