import type { UseLimits } from '../../store/accounts/use-limits.ts';
import type { RateKind, RateShare } from '../../store/counters/key-rates.ts';

/**
 * Limits of a key: on requests and tokens per UTC minute, and on the number of requests that run concurrently. At least
 * one of these limits is set.
 */
export interface RateLimits {
  requests: number | undefined;
  tokens: number | undefined;
  parallel: number | undefined;
}

interface Limited {
  key: UseLimits;
  workspace: UseLimits | undefined;
  member: UseLimits | undefined;
}

/**
 * Returns the limits of a key: each is the smallest of the values that the key, its workspace and its member have.
 * Undefined if there are none, which is the usual case.
 */
export function rateLimitsOf(caller: Limited): RateLimits | undefined {
  const requests = smallest(caller, 'rpmLimit');
  const tokens = smallest(caller, 'tpmLimit');
  const parallel = smallest(caller, 'parallelLimit');
  const isLimited = requests !== undefined || tokens !== undefined || parallel !== undefined;
  return isLimited ? { requests, tokens, parallel } : undefined;
}

function smallest({ key, workspace, member }: Limited, name: 'rpmLimit' | 'tpmLimit' | 'parallelLimit') {
  const least = Math.min(key[name] ?? Infinity, workspace?.[name] ?? Infinity, member?.[name] ?? Infinity);
  return least === Infinity ? undefined : least;
}

/** Maximum number of parts of a count. Each part is one item, which supports a few dozen transactions per second. */
export const MAX_RATE_PARTS = 32;
/**
 * Limit on requests per minute for which a count gets one part; RUNNING_PER_PART is the same for running requests. A
 * limit that would need more than MAX_RATE_PARTS parts is divided over MAX_RATE_PARTS larger parts.
 */
const REQUESTS_PER_PART = 200;
const RUNNING_PER_PART = 16;
/**
 * Minimum share of a token limit that one part gets if the limit is divided. Known requests have fewer tokens, so each
 * fits into one part. The hold of a larger request is limited to its part.
 */
const TOKENS_PER_PART = 4_000_000;

/** Returns the number of parts over which a count is divided; 0 if the key has no limit of this kind. */
export function ratePartsOf({ requests, tokens, parallel }: RateLimits, kind: RateKind): number {
  if (kind === 'running') return parallel === undefined ? 0 : partsFor(parallel / RUNNING_PER_PART);
  if (requests === undefined && tokens === undefined) return 0;
  const most = tokens === undefined ? Infinity : Math.max(1, Math.floor(tokens / TOKENS_PER_PART));
  return Math.min(most, requests === undefined ? MAX_RATE_PARTS : partsFor(requests / REQUESTS_PER_PART));
}

function partsFor(number: number): number {
  return Math.min(MAX_RATE_PARTS, Math.max(1, Math.ceil(number)));
}

/** Returns the share of a key's limits that one part has. The limits of all parts add up to the limits of the key. */
export function rateShareOf(limits: RateLimits, kind: RateKind, part: number): RateShare {
  const parts = ratePartsOf(limits, kind);
  const share = (limit: number | undefined) =>
    limit === undefined ? undefined : Math.floor(limit / parts) + (part < limit % parts ? 1 : 0);
  return kind === 'running'
    ? { running: share(limits.parallel) }
    : { requests: share(limits.requests), tokens: share(limits.tokens) };
}
