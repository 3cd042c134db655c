import type { UseLimits } from '../../store/accounts/use-limits.ts';
import type { RateKind, RateShare } from '../../store/counters/key-rates.ts';

/** Limits of a key on requests and tokens per UTC minute, and on concurrent requests; at least one is set. */
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

/** Returns the smallest limits of the key, its workspace and its member; undefined if there are none. */
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

/** Maximum number of parts of a count. Each part is one item. */
export const MAX_RATE_PARTS = 32;
/** Number of requests per minute, or of running requests, for each part of a count. */
const REQUESTS_PER_PART = 200;
const RUNNING_PER_PART = 16;
/** Minimum tokens of one part. The hold of a larger request is limited to its part. */
const TOKENS_PER_PART = 4_000_000;

/** Returns the number of parts of a count; 0 if the key has no limit of this kind. */
export function ratePartsOf({ requests, tokens, parallel }: RateLimits, kind: RateKind): number {
  if (kind === 'running') return parallel === undefined ? 0 : partsFor(parallel / RUNNING_PER_PART);
  if (requests === undefined && tokens === undefined) return 0;
  const most = tokens === undefined ? Infinity : Math.max(1, Math.floor(tokens / TOKENS_PER_PART));
  return Math.min(most, requests === undefined ? MAX_RATE_PARTS : partsFor(requests / REQUESTS_PER_PART));
}

function partsFor(number: number): number {
  return Math.min(MAX_RATE_PARTS, Math.max(1, Math.ceil(number)));
}

/** Returns the share of one part of a count. The shares of all parts add up to the limits of the key. */
export function rateShareOf(limits: RateLimits, kind: RateKind, part: number): RateShare {
  const parts = ratePartsOf(limits, kind);
  const share = (limit: number | undefined) =>
    limit === undefined ? undefined : Math.floor(limit / parts) + (part < limit % parts ? 1 : 0);
  return kind === 'running'
    ? { running: share(limits.parallel) }
    : { requests: share(limits.requests), tokens: share(limits.tokens) };
}
