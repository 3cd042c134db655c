import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTo, bucketOf, percentilesOf, type Histogram } from '../../lambdas/statistics/histogram.ts';

function histogramOf(values: number[]): Histogram {
  const histogram: Histogram = new Map();
  for (const value of values) addTo(histogram, bucketOf(value), 1);
  return histogram;
}

const nearestRank = (values: number[], percent: number, better: 'low' | 'high') =>
  values.toSorted((a, b) => (better === 'low' ? a - b : b - a))[Math.ceil((percent / 100) * values.length) - 1]!;

describe('percentiles of a histogram', () => {
  it.each(['low', 'high'] as const)('are off by at most 10 %% for any values, if %s values are better', (better) => {
    const values = fc.array(fc.double({ min: 1, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, (values) => {
        const percentiles = percentilesOf(histogramOf(values), 1, better)!;
        for (const [name, percent] of [
          ['p50', 50],
          ['p75', 75],
          ['p90', 90],
          ['p99', 99],
        ] as const) {
          const exact = nearestRank(values, percent, better);
          // Percentiles have one decimal.
          expect(Math.abs(percentiles[name] - exact)).toBeLessThanOrEqual(0.1 * exact + 0.05);
        }
      }),
    );
  });

  it('are the same, however the values were divided before they were summed', () => {
    const values = Array.from({ length: 100 }, (_, index) => (index + 1) * 37);
    const together = histogramOf(values.slice(0, 30));
    for (const [bucket, count] of histogramOf(values.slice(30))) addTo(together, bucket, count);
    expect(percentilesOf(together, 1, 'low')).toEqual(percentilesOf(histogramOf(values), 1, 'low'));
  });

  it('mean that this share of requests was at least as good, for latency and throughput', () => {
    const values = Array.from({ length: 100 }, (_, index) => (index + 1) * 10);

    const [latency, throughput] = [
      percentilesOf(histogramOf(values), 1, 'low')!,
      percentilesOf(histogramOf(values), 1, 'high')!,
    ];

    expect([latency.p90 > 800, throughput.p90 < 120]).toEqual([true, true]);
  });

  it('are null with too few values', () => {
    expect(percentilesOf(histogramOf([1, 2, 3]), 4, 'low')).toBeNull();
    expect(percentilesOf(new Map(), 1, 'low')).toBeNull();
  });

  it.each([
    ['negative', -5, 1],
    ['zero', 0, 1],
    ['not a number', NaN, 1],
    ['endless', Infinity, 1_000_000],
    ['beyond all measure', 1e300, 1_000_000],
  ])('use the nearest bucket for a value that is %s', (_what, value, nearest) => {
    const { p50 } = percentilesOf(histogramOf([value]), 1, 'low')!;
    expect(Math.abs(p50 - nearest)).toBeLessThanOrEqual(0.1 * nearest);
  });

  it('need a bounded number of buckets', () => {
    expect(new Set(Array.from({ length: 1_000_000 }, (_, value) => bucketOf(value * 7))).size).toBeLessThanOrEqual(77);
  });
});
