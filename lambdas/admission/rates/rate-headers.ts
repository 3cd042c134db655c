import { MINUTE_LENGTH_MS, minuteStart } from '../../store/counters/key-rates.ts';
import type { Caller } from '../caller.ts';
import { knownCounts } from './rate-counts.ts';
import { rateLimitsOf } from './rate-limits.ts';

/**
 * Names of headers by the API of the client. Anthropic's clients read times, OpenAI's clients read durations such as
 * `17s`.
 */
const styles = {
  anthropic: {
    name: (what: string, of: string) => `anthropic-ratelimit-${of}-${what}`,
    reset: (endsAtMs: number) => new Date(endsAtMs).toISOString(),
  },
  openai: {
    name: (what: string, of: string) => `x-ratelimit-${what}-${of}`,
    reset: (endsAtMs: number, atMs: number) => `${Math.max(1, Math.ceil((endsAtMs - atMs) / 1_000))}s`,
  },
};

/**
 * Returns the headers with the limits of a key, and the rest of them in the minute of a request; no headers without
 * limits.
 * @param atMs time of the request's admission
 */
export function rateHeadersOf(caller: Caller, style: keyof typeof styles, atMs: number): Record<string, string> {
  const limits = rateLimitsOf(caller);
  if (!limits) return {};
  const { name, reset } = styles[style];
  const known = knownCounts(caller.key.hash, atMs);
  const headers: Record<string, string> = {};
  for (const of of ['requests', 'tokens'] as const) {
    const most = limits[of];
    if (most === undefined) continue;
    headers[name('limit', of)] = String(most);
    headers[name('remaining', of)] = String(Math.max(0, most - known[of]));
    headers[name('reset', of)] = reset(minuteStart(atMs) + MINUTE_LENGTH_MS, atMs);
  }
  return headers;
}
