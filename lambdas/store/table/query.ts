import { append } from '../../platform/append.ts';
import { inBatches } from './batches.ts';
import { batchGetItems, queryPage, type Query } from './calls.ts';
import type { Item, Table } from './table.ts';
import type { Key } from './writes.ts';

export { getItem as readItem, getItemWithin as readItemWithin } from './calls.ts';

export async function* queryItems(table: Table, query: Query): AsyncGenerator<Item, void> {
  let start: Item | undefined;
  do {
    const { items, next } = await queryPage(table, query, { start });
    yield* items;
    start = next;
  } while (start);
}

/** Returns the items between two sort keys of a partition, both included. Reads one page, eventually consistent. */
export async function queryPageWithin(
  table: Table,
  timeoutMs: number,
  { pk, from, to, ...more }: { pk: string; from: string; to: string } & Pick<Query, 'Limit' | 'ScanIndexForward'>,
): Promise<Item[]> {
  const query = {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ...more,
  };
  const { items } = await queryPage(table, query, { timeoutMs });
  return items;
}

/** Yields the items of a partition, read consistently. */
export function queryPartition(table: Table, partition: string, prefix?: string): AsyncGenerator<Item, void> {
  return queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition, ...(prefix === undefined ? {} : { ':prefix': prefix }) },
  });
}

const MAX_READ_BATCH = 100;

/**
 * Reads items consistently, and returns them in any order. Missing items are omitted.
 * @throws {StoreBusyError | AwsError | NoReplyError} if the table stays busy or a call fails
 */
export async function readItems(table: Table, keys: Key[]): Promise<Item[]> {
  const items: Item[] = [];
  await inBatches(keys, MAX_READ_BATCH, async (batch) => {
    const { items: found, unread } = await batchGetItems(table, batch);
    append(items, found);
    return unread;
  });
  return items;
}
