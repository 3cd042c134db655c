/**
 * Seconds that each test file took in the last recorded run (`npm run test:durations`). The order of files and the shares of a run follow from
 * them; a file that was never recorded counts as a usual one.
 */

import { readFileSync } from 'node:fs';

const UNKNOWN_SECONDS = 3;
/** Files that take at least this long are divided among runs. They are the end-to-end tests: sandboxed functions, attacks, crashes, deployments. */
const SLOW_SECONDS = 15;

/** Runs that together test every slow file. */
export const SHARES = 4;

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

/** The slow files of each share. */
export function slowShares(): string[][] {
  const slow = Object.keys(recorded).filter((file) => durationOf(file) >= SLOW_SECONDS);
  return dividedByDuration(slow, SHARES);
}

/**
 * The slow files that a run leaves to the other shares.
 * @param share from 1 on, or `all`; undefined leaves none
 * @throws {Error} for a share that does not exist: the run would leave all of them out
 */
export function leftToOthers(share: string | undefined): string[] {
  if (share === undefined || share === 'all') return [];
  const known = Array.from({ length: SHARES }, (_, place) => String(place + 1));
  if (!known.includes(share)) throw new Error(`TEST_SHARE must be one of all, ${known.join(', ')}`);
  return slowShares()
    .filter((_, place) => place + 1 !== Number(share))
    .flat();
}
