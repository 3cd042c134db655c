/**
 * Seconds per test file in the last recorded run (`npm run test:durations`), for the order of files and the shards of
 * CI. Files without a record get a default.
 */

import { readFileSync } from 'node:fs';

const UNKNOWN_SECONDS = 3;

const recorded = JSON.parse(readFileSync(new URL('../durations.json', import.meta.url), 'utf8')) as Record<
  string,
  number
>;

/**
 * Returns the recorded duration of a file in seconds.
 * @param file for example `test/money/money.test.ts`
 */
function durationOf(file: string): number {
  return recorded[file] ?? UNKNOWN_SECONDS;
}

/**
 * Divides files into parts of about the same duration: each file, slowest first, goes to the part with the least time.
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

/** Sorts files by duration, slowest first: a slow file at the end would run alone. */
export function slowestFirst(files: readonly string[]): string[] {
  return files.toSorted((one, other) => durationOf(other) - durationOf(one) || one.localeCompare(other));
}
