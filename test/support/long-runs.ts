/**
 * How often a test of chance is repeated: a part of it in `npm test`, which has to be quick, and all of it in the long form,
 * `TEST_LONG=1 npm test`.
 */
export function repeated(times: number, { ofWhichAlways }: { ofWhichAlways: number }): number {
  return process.env['TEST_LONG'] ? times : ofWhichAlways;
}
