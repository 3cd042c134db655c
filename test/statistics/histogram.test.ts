import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTo, bucketOf, percentilesOf, type Histogram } from '../../lambdas/statistics/histogram.ts';

function histogramOf(values: number[]): Histogram {
  const histogram: Histogram = new Map();
  for (const value of values) addTo(histogram, bucketOf(value), 1);
  return histogram;
}

/** The least of the values that so many percent of them do not exceed. */
const nearestRank = (values: number[], percent: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil((percent / 100) * values.length) - 1]!;

describe('percentiles of a histogram', () => {
  it('are off by 10 % at most, wherever the values are', () => {
    const values = fc.array(fc.double({ min: 1, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, (values) => {
        const percentiles = percentilesOf(histogramOf(values), 1)!;
        for (const [name, percent] of [
          ['p50', 50],
          ['p75', 75],
          ['p90', 90],
          ['p99', 99],
        ] as const) {
          const exact = nearestRank(values, percent);
          // Shown with one digit after the point.
          expect(Math.abs(percentiles[name] - exact)).toBeLessThanOrEqual(0.1 * exact + 0.05);
        }
      }),
    );
  });

  it('are the same, however the values were divided before they were added up', () => {
    const values = Array.from({ length: 100 }, (_, index) => (index + 1) * 37);
    const together = histogramOf(values.slice(0, 30));
    for (const [bucket, count] of histogramOf(values.slice(30))) addTo(together, bucket, count);
    expect(percentilesOf(together, 1)).toEqual(percentilesOf(histogramOf(values), 1));
  });

  it('are null where there are too few values', () => {
    expect(percentilesOf(histogramOf([1, 2, 3]), 4)).toBeNull();
    expect(percentilesOf(new Map(), 1)).toBeNull();
  });

  it.each([
    ['negative', -5, 1],
    ['zero', 0, 1],
    ['not a number', NaN, 1],
    ['endless', Infinity, 1_000_000],
    ['beyond all measure', 1e300, 1_000_000],
  ])('take a value that is %s as the nearest one that they know', (_what, value, nearest) => {
    const { p50 } = percentilesOf(histogramOf([value]), 1)!;
    expect(Math.abs(p50 - nearest)).toBeLessThanOrEqual(0.1 * nearest);
  });

  it('need a bounded number of buckets', () => {
    expect(new Set(Array.from({ length: 1_000_000 }, (_, value) => bucketOf(value * 7))).size).toBeLessThanOrEqual(77);
  });
});
