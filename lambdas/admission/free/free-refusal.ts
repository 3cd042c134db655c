import { GatewayError } from '../../platform/errors.ts';
import type { CountKind, FreeRefusal, FreeRoom } from './free-tier.ts';

/** Value of Retry-After in seconds if only the holds of other requests use up the budget. */
const HELD_RETRY_SECONDS = 3;
/** Maximum wait in seconds after which clients should retry automatically. */
const SHORT_WAIT_SECONDS = 60;

const owners: Record<CountKind, string> = {
  day: 'this account has reached its limit of requests to free models for this day',
  address: 'this IP address has reached its limit of requests to free models for this day',
  minute: 'this account has reached its limit of requests to free models for this minute',
};
const remedies: Record<CountKind, string> = {
  day: 'use the model without ":free", top up the account, which raises the limit',
  address: 'use the model without ":free", top up the account, which then has no limit by address',
  minute: 'send requests more slowly',
};

export const freeLimitSources = {
  day: 'free_daily_requests',
  address: 'free_daily_requests_of_address',
  minute: 'free_requests_per_minute',
  budget: 'free_daily_budget',
} as const satisfies Record<FreeRoom['counted'], string>;

/** Creates the 429 for a refused use of free models. */
export function freeRefusalError(refusal: FreeRefusal): GatewayError {
  const { endsAtMs, most, models } = refusal;
  const isHeldOnly = refusal.kind === 'free_budget' && refusal.isHeldOnly;
  const waitSeconds = isHeldOnly ? HELD_RETRY_SECONDS : Math.max(1, Math.ceil((endsAtMs - refusal.atMs) / 1_000));
  const names = {
    'X-RateLimit-Limit': String(most),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(isHeldOnly ? refusal.atMs + waitSeconds * 1_000 : endsAtMs),
  };
  const error = new GatewayError('rate_limit_exceeded', freeRefusalMessage(refusal, isHeldOnly), {
    metadata: {
      limit_source: freeLimitSources[refusal.kind === 'free_budget' ? 'budget' : refusal.counted],
      models,
      limit: most,
      resets_at: new Date(endsAtMs).toISOString(),
      // Clients of OpenRouter's API look for these headers in the error's metadata.
      headers: names,
    },
    headers: { 'retry-after': String(waitSeconds), ...lowerCased(names) },
  });
  return waitSeconds > SHORT_WAIT_SECONDS ? error.discourageRetry() : error;
}

function freeRefusalMessage(refusal: FreeRefusal, isHeldOnly: boolean): string {
  const models = refusal.models.map((id) => `"${id}"`).join(', ');
  const until = new Date(refusal.endsAtMs).toISOString();
  if (refusal.kind === 'free_requests') {
    const { counted, most } = refusal;
    return `${models}: ${owners[counted]} (${most}). You can ${remedies[counted]}, or wait until ${until}.`;
  }
  const paid = 'use the model without ":free"';
  return isHeldOnly
    ? `${models}: its daily budget is held for other requests. Try again in a few seconds, or ${paid}.`
    : `${models}: its daily budget is spent. You can ${paid}, or wait until ${until}.`;
}

function lowerCased(names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]));
}
