import { commitSeed } from './commit-seed.ts';

export const isLongForm = process.env['TEST_LONG'] !== undefined && process.env['TEST_LONG'] !== '';

/**
 * Returns the repetitions of a randomized test: all in the long form (`TEST_LONG=1 npm test`), otherwise
 * `ofWhichAlways`.
 */
export function repeated(times: number, { ofWhichAlways }: { ofWhichAlways: number }): number {
  return isLongForm ? times : ofWhichAlways;
}

/** Runs of a commit have the same seed, unless the environment sets another one. */
export const runSeed = Number(process.env['TEST_SEED'] ?? commitSeed());

/**
 * Returns the indexes of a list that a test uses: all in the long form, otherwise some, starting at an index that
 * depends on the commit.
 */
export function placesIn(length: number, { ofWhichAlways }: { ofWhichAlways: number }): number[] {
  const all = Array.from({ length }, (_, place) => place);
  const step = isLongForm ? 1 : Math.max(1, Math.floor(length / ofWhichAlways));
  return all.filter((place) => place % step === runSeed % step);
}

/** Returns the entries of a list that a test uses: all in the long form, otherwise some. */
export function entriesIn<Entry>(list: readonly Entry[], terms: { ofWhichAlways: number }): Entry[] {
  return placesIn(list.length, terms).map((place) => list[place]!);
}
