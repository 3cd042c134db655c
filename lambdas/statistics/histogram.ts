/**
 * Counts of values in fixed buckets, each a fifth wider than the one below: they can be added up, wherever they were
 * counted. A value that is read back is the middle of its bucket, so it is off by 10 % at most, between 1 and a million;
 * what is less or more counts as that.
 */

import type { Percentiles } from '../catalog/endpoint-statistics.ts';

/** How many values are in each bucket that has any. */
export type Histogram = Map<number, number>;

const GROWTH = 1.2;
const MAX_BUCKET = bucketOfSound(1_000_000);

export function bucketOf(value: number): number {
  // Also what is no number.
  if (!(value > 1)) return 0;
  return Math.min(MAX_BUCKET, bucketOfSound(value));
}

function bucketOfSound(value: number): number {
  return Math.round(Math.log(value) / Math.log(GROWTH));
}

export function addTo(histogram: Histogram, bucket: number, count: number): void {
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/**
 * Percentiles as OpenRouter has them: of so many values in a hundred each is at least as good as the percentile. So those of latency rise
 * from the median on, and those of throughput fall.
 * @param better which values are the better ones
 * @returns null where there are fewer values than `least`
 * @see https://openrouter.ai/docs/guides/routing/provider-selection
 */
export function percentilesOf(histogram: Histogram, least: number, better: 'low' | 'high'): Percentiles | null {
  const buckets = [...histogram].toSorted(([a], [b]) => (better === 'low' ? a - b : b - a));
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total < least) return null;
  const percentile = (percent: number) => {
    const rank = Math.ceil((percent / 100) * total);
    let passed = 0;
    const [bucket] = buckets.find(([, count]) => (passed += count) >= rank)!;
    return Math.round(10 * GROWTH ** bucket) / 10;
  };
  return { p50: percentile(50), p75: percentile(75), p90: percentile(90), p99: percentile(99) };
}
