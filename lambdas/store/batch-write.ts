import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './table.ts';

/** DynamoDB's bound of one BatchWriteItem. */
const MAX_BATCH = 25;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export type WriteRequest = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

/** Writes any number of items without conditions; what DynamoDB has no room for is sent again, later each time. */
export async function batchWrite(table: Table, requests: WriteRequest[]): Promise<void> {
  for (let start = 0; start < requests.length; start += MAX_BATCH) {
    let open: WriteRequest[] | undefined = requests.slice(start, start + MAX_BATCH);
    for (let pauseMs = FIRST_PAUSE_MS; open && open.length > 0; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const answer: { UnprocessedItems?: Record<string, unknown> | undefined } = await table.documents.send(
        new BatchWriteCommand({ RequestItems: { [table.name]: open } }),
      );
      open = answer.UnprocessedItems?.[table.name] as WriteRequest[] | undefined;
      if (open && open.length > 0) await sleep(pauseMs);
    }
  }
}
