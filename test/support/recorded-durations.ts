/**
 * Seconds that each test file took in the last recorded run (`npm run test:durations`). The order of files and the shards of CI follow from them; a file that was never recorded counts as a usual one.
 */

import { readFileSync } from 'node:fs';

const UNKNOWN_SECONDS = 3;

const recorded = JSON.parse(readFileSync(new URL('../durations.json', import.meta.url), 'utf8')) as Record<
  string,
  number
>;

/** @param file its path, such as `test/money/money.test.ts` @returns seconds */
function durationOf(file: string): number {
  return recorded[file] ?? UNKNOWN_SECONDS;
}

/**
 * Divides files into parts that take about the same time: each file, the slowest first, goes to the part that has least.
 * @returns as many lists as there are parts, the same for the same files
 */
export function dividedByDuration(files: readonly string[], parts: number): string[][] {
  const lists = Array.from({ length: parts }, () => ({ seconds: 0, files: [] as string[] }));
  for (const file of slowestFirst(files)) {
    const least = lists.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.files.push(file);
    least.seconds += durationOf(file);
  }
  return lists.map((list) => list.files);
}

/** Slowest first: one of them, begun last, would run alone at the end. */
export function slowestFirst(files: readonly string[]): string[] {
  return files.toSorted((one, other) => durationOf(other) - durationOf(one) || one.localeCompare(other));
}
