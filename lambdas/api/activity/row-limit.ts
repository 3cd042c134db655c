import { invalidRequest } from '../../platform/errors.ts';

/** Some 8 MB of JSON: API Gateway passes on 10 MB of a stream at once, and the rest slowly. */
export const MAX_ROWS = 20_000;

/** @param days that were asked for. @throws {GatewayError} 400 for more rows than one answer holds */
export function checkRowCount(count: number, days: number): void {
  if (count <= MAX_ROWS) return;
  const narrower = days > 1 ? 'ask for fewer days at a time' : 'ask for one workspace, member or key at a time';
  throw invalidRequest('date', `there are ${count} rows, and one answer has at most ${MAX_ROWS}; ${narrower}`);
}
