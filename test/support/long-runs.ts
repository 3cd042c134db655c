/** Whether all of it is run. */
export const isLongForm = process.env['TEST_LONG'] !== undefined && process.env['TEST_LONG'] !== '';

/**
 * How often a test of chance is repeated: a part of it in `npm test`, which has to be quick, and all of it in the long form,
 * `TEST_LONG=1 npm test`.
 */
export function repeated(times: number, { ofWhichAlways }: { ofWhichAlways: number }): number {
  return isLongForm ? times : ofWhichAlways;
}

/**
 * The places of a list that a test goes through one by one: a part of them in `npm test`, from a random one on, and all of them
 * in the long form.
 */
export function placesIn(length: number, { ofWhichAlways }: { ofWhichAlways: number }): number[] {
  const all = Array.from({ length }, (_, place) => place);
  const step = isLongForm ? 1 : Math.max(1, Math.floor(length / ofWhichAlways));
  const first = Math.floor(Math.random() * step);
  return all.filter((place) => place % step === first);
}
