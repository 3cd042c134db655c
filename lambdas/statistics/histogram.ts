/**
 * Counts of values in fixed buckets, each a fifth wider than the bucket below it. A value read from a histogram is the
 * middle of its bucket, so its error is about 10 % for values from 1 to a million. Other values are counted as 1 or as
 * a million.
 */

import type { Percentiles } from '../catalog/endpoint-statistics.ts';

export type Histogram = Map<number, number>;

const GROWTH = 1.2;
const MAX_BUCKET = bucketOfSound(1_000_000);

export function bucketOf(value: number): number {
  // The negated comparison also puts NaN into the lowest bucket.
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
 * Returns percentiles by OpenRouter's definition: for p90, 90 % of the values are at least as good as the returned
 * value.
 * @param better whether low or high values are better
 * @returns null if there are fewer values than `least`
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
