import { MINUTE_LENGTH_MS, minuteStart } from '../../store/counters/key-rates.ts';
import type { Caller } from '../caller.ts';
import { knownCounts } from './rate-counts.ts';
import { rateLimitsOf } from './rate-limits.ts';

/**
 * Names and forms of the headers, by client API. Anthropic's clients expect times, OpenAI's clients durations such as
 * `17s`.
 */
const styles = {
  messages: {
    name: (quantity: string, unit: string) => `anthropic-ratelimit-${unit}-${quantity}`,
    reset: (endsAtMs: number) => new Date(endsAtMs).toISOString(),
  },
  openai: {
    name: (quantity: string, unit: string) => `x-ratelimit-${quantity}-${unit}`,
    reset: (endsAtMs: number, atMs: number) => `${Math.max(1, Math.ceil((endsAtMs - atMs) / 1_000))}s`,
  },
};

/**
 * Returns headers with the limits of a key, and with the remaining requests and tokens of the minute. Empty without
 * limits on requests or tokens.
 */
export function rateHeadersOf(caller: Caller, style: keyof typeof styles, atMs: number): Record<string, string> {
  const limits = rateLimitsOf(caller);
  if (!limits) return {};
  const { name, reset } = styles[style];
  const known = knownCounts(caller.key.hash, atMs);
  const headers: Record<string, string> = {};
  for (const unit of ['requests', 'tokens'] as const) {
    const most = limits[unit];
    if (most === undefined) continue;
    headers[name('limit', unit)] = String(most);
    headers[name('remaining', unit)] = String(Math.max(0, most - known[unit]));
    headers[name('reset', unit)] = reset(minuteStart(atMs) + MINUTE_LENGTH_MS, atMs);
  }
  return headers;
}
