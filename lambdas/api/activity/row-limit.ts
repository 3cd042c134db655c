import { invalidRequest } from '../../platform/errors.ts';

/** Some 8 MB of JSON: API Gateway passes on 10 MB of a stream at once, and the rest slowly. */
export const MAX_ROWS = 20_000;

/** @param date that was asked for; all days where it is undefined. @throws {GatewayError} 400 for more than one answer holds */
export function checkRowCount(count: number, date: string | undefined): void {
  if (count <= MAX_ROWS) return;
  const narrower = date === undefined ? 'ask for one date at a time' : 'ask for one workspace, member or key at a time';
  throw invalidRequest('date', `there are ${count} rows, and one answer has at most ${MAX_ROWS}; ${narrower}`);
}
