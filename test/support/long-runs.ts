import { commitSeed } from './commit-seed.ts';

/** Whether all of it is run. */
export const isLongForm = process.env['TEST_LONG'] !== undefined && process.env['TEST_LONG'] !== '';

/**
 * How often a test of chance is repeated: a part of it in `npm test`, which has to be quick, and all of it in the long form,
 * `TEST_LONG=1 npm test`.
 */
export function repeated(times: number, { ofWhichAlways }: { ofWhichAlways: number }): number {
  return isLongForm ? times : ofWhichAlways;
}

/** A whole number that is the same for all runs of a commit, unless the environment has another one. */
export const runSeed = Number(process.env['TEST_SEED'] ?? commitSeed());

/**
 * The places of a list that a test goes through one by one: a part of them in `npm test`, from one on that differs from commit to commit, and all
 * of them in the long form.
 */
export function placesIn(length: number, { ofWhichAlways }: { ofWhichAlways: number }): number[] {
  const all = Array.from({ length }, (_, place) => place);
  const step = isLongForm ? 1 : Math.max(1, Math.floor(length / ofWhichAlways));
  return all.filter((place) => place % step === runSeed % step);
}

/** The entries at these places. */
export function entriesIn<Entry>(list: readonly Entry[], terms: { ofWhichAlways: number }): Entry[] {
  return placesIn(list.length, terms).map((place) => list[place]!);
}
