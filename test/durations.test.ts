import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dividedByDuration } from './support/recorded-durations.ts';

const durations = JSON.parse(readFileSync('test/durations.json', 'utf8')) as Record<string, number>;
const recorded = Object.keys(durations);

describe('recorded durations', () => {
  it('are of existing files', () => {
    expect(recorded.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('divide files into parts of about the same time, each file into one', () => {
    const parts = dividedByDuration(recorded, 4);
    const seconds = parts.map((files) => files.reduce((sum, file) => sum + durations[file]!, 0));

    expect(Math.min(...seconds)).toBeGreaterThan(0.95 * Math.max(...seconds));
    expect(parts.flat().toSorted()).toEqual(recorded.toSorted());
  });
});
