import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dividedByDuration } from './support/recorded-durations.ts';

const recorded = Object.keys(JSON.parse(readFileSync('test/durations.json', 'utf8')) as object);

describe('recorded durations', () => {
  it('are of existing files', () => {
    expect(recorded.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('divide files into parts of about the same time, each file into one', () => {
    const parts = dividedByDuration(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts'], 2);
    expect(parts.map((part) => part.length)).toEqual([2, 2]);
    expect(parts.flat().toSorted()).toEqual(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts']);
  });
});
