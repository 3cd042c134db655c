import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dividedByDuration, leftToOthers, SHARES, slowShares } from './support/recorded-durations.ts';

const recorded = Object.keys(JSON.parse(readFileSync('test/durations.json', 'utf8')) as object);
const shares = Array.from({ length: SHARES }, (_, place) => String(place + 1));

describe('recorded durations', () => {
  it('are of files that exist', () => {
    expect(recorded.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('put each slow file into one share', () => {
    const slow = slowShares().flat();
    expect(slow.length).toBeGreaterThan(SHARES);
    for (const file of slow) {
      expect(shares.map(leftToOthers).filter((left) => left.includes(file))).toHaveLength(SHARES - 1);
    }
  });

  it('leave nothing out of a run without a share, and of one with all', () => {
    expect([leftToOthers(undefined), leftToOthers('all')]).toEqual([[], []]);
  });

  it('refuse a share that does not exist', () => {
    expect(() => leftToOthers('5')).toThrow('TEST_SHARE must be one of all, 1, 2, 3, 4');
  });

  it('divide files into parts of about the same time, each file into one', () => {
    const parts = dividedByDuration(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts'], 2);
    expect(parts.map((part) => part.length)).toEqual([2, 2]);
    expect(parts.flat().toSorted()).toEqual(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts']);
  });
});
