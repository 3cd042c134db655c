import { commitSeed } from './commit-seed.ts';

/** Whether the tests run in their long form. */
export const isLongForm = process.env['TEST_LONG'] !== undefined && process.env['TEST_LONG'] !== '';

/**
 * Returns the number of repetitions of a randomized test. `npm test` must be fast, so it runs only `ofWhichAlways`
 * repetitions. The long form, `TEST_LONG=1 npm test`, runs all.
 */
export function repeated(times: number, { ofWhichAlways }: { ofWhichAlways: number }): number {
  return isLongForm ? times : ofWhichAlways;
}

/**
 * Seed of the run: a whole number. All runs of a commit have the same seed, unless the environment sets another one.
 */
export const runSeed = Number(process.env['TEST_SEED'] ?? commitSeed());

/**
 * Returns the indexes of a list that a test iterates over. `npm test` uses only some indexes of a long list, starting
 * at an index that depends on the commit. The long form uses all indexes.
 */
export function placesIn(length: number, { ofWhichAlways }: { ofWhichAlways: number }): number[] {
  const all = Array.from({ length }, (_, place) => place);
  const step = isLongForm ? 1 : Math.max(1, Math.floor(length / ofWhichAlways));
  return all.filter((place) => place % step === runSeed % step);
}

/** Returns the entries of a list that a test iterates over: some of them in `npm test`, and all in the long form. */
export function entriesIn<Entry>(list: readonly Entry[], terms: { ofWhichAlways: number }): Entry[] {
  return placesIn(list.length, terms).map((place) => list[place]!);
}
