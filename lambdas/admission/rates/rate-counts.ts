/**
 * Counts of keys' requests in the current minute, as far as this process knows, for response headers only.
 *
 * Weakness: requests of other processes since the last read are missing.
 */

import { BoundedMap } from '../../platform/bounded-map.ts';
import { minuteStart, rateItemKey } from '../../store/counters/key-rates.ts';
import { numberFrom, type Item } from '../../store/table/table.ts';
import type { Key } from '../../store/table/writes.ts';
import { ratePartsOf, type RateLimits } from './rate-limits.ts';

interface MinuteCounts {
  startMs: number;
  requests: number;
  tokens: number;
}

const counts = new BoundedMap<string, MinuteCounts>(10_000);

/** Returns the known counts of a minute; zeros if this process knows none. */
export function knownCounts(keyHash: string, atMs: number): Omit<MinuteCounts, 'startMs'> {
  const known = counts.get(keyHash);
  return known?.startMs === minuteStart(atMs) ? known : { requests: 0, tokens: 0 };
}

/**
 * Records counts that were read from the table. The number of requests in a minute never falls, so the largest number
 * is the latest.
 */
export function noteCounts(keyHash: string, atMs: number, parts: readonly (Item | undefined)[]): void {
  const sum = (name: string) => parts.reduce((total, item) => total + numberFrom(item?.[name]), 0);
  const requests = Math.max(sum('requests'), knownCounts(keyHash, atMs).requests);
  counts.set(keyHash, { startMs: minuteStart(atMs), requests, tokens: sum('tokens') });
}

/** Records a request that this process has admitted. */
export function noteAdmitted(keyHash: string, atMs: number, tokens: number): void {
  const known = knownCounts(keyHash, atMs);
  const sums = { requests: known.requests + 1, tokens: known.tokens + tokens };
  counts.set(keyHash, { startMs: minuteStart(atMs), ...sums });
}

/** Returns the keys of all items that count the requests of a minute. */
export function minuteKeys(keyHash: string, limits: RateLimits, atMs: number): Key[] {
  const parts = ratePartsOf(limits, 'minute');
  return Array.from({ length: parts }, (_, part) => rateItemKey(keyHash, { kind: 'minute', part }, atMs));
}
