import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { inBatches } from './batches.ts';
import { documentsOf } from './documents.ts';
import type { Item, Table } from './table.ts';

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_BATCH = 25;

export type WriteRequest = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

/** Writes any number of items without conditions. @throws {StoreBusyError} after writing a part */
export async function batchWrite(table: Table, requests: WriteRequest[]): Promise<void> {
  await inBatches(requests, MAX_BATCH, async (batch) => {
    const answer = await documentsOf(table).send(new BatchWriteCommand({ RequestItems: { [table.name]: batch } }));
    return (answer.UnprocessedItems?.[table.name] ?? []) as WriteRequest[];
  });
}
