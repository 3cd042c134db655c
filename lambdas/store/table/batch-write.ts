import { inBatches } from './batches.ts';
import { batchWriteItems, type WriteRequest } from './calls.ts';
import type { Table } from './table.ts';

/** Maximum number of writes in one BatchWriteItem call of DynamoDB. */
const MAX_WRITTEN_BATCH = 25;

/**
 * Writes or deletes any number of items without conditions.
 * @throws {StoreBusyError | AwsError | NoReplyError} if the table stays busy or a call fails; some of the items may be
 *   written or deleted
 */
export async function batchWrite(table: Table, requests: WriteRequest[]): Promise<void> {
  await inBatches(requests, MAX_WRITTEN_BATCH, (batch) => batchWriteItems(table, batch));
}
