import { invalidRequest } from '../../platform/errors.ts';

/** Some 8 MB of JSON: API Gateway passes on 10 MB of a stream at once, and the rest slowly. */
export const MAX_ROWS = 20_000;

/**
 * @param narrower the parameter with which to ask for less, and how
 * @throws {GatewayError} 400 for more rows than one answer holds
 */
export function checkRowCount(count: number, narrower: { field: string; says: string }): void {
  if (count <= MAX_ROWS) return;
  throw invalidRequest(
    narrower.field,
    `there are ${count} rows, and one answer has at most ${MAX_ROWS}; ${narrower.says}`,
  );
}
