import { invalidRequest } from '../../platform/errors.ts';

/**
 * Maximum number of rows in one answer, about 8 MB of JSON. API Gateway forwards the first 10 MB of a stream at full
 * speed, and the rest slowly.
 */
export const MAX_ROWS = 20_000;

/**
 * Refuses an answer with more than MAX_ROWS rows.
 * @param narrower the parameter that reduces the number of rows, with advice
 * @throws {GatewayError} 400
 */
export function checkRowCount(count: number, narrower: { field: string; says: string }): void {
  if (count <= MAX_ROWS) return;
  throw invalidRequest(
    narrower.field,
    `there are ${count} rows, and one answer has at most ${MAX_ROWS}; ${narrower.says}`,
  );
}
