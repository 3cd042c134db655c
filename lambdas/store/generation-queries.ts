import { generationFrom, type Generation } from './generation.ts';
import { GENERATION_SHARDS, generationKey, generationPartition, sweepPartitions } from './generation-key.ts';
import { queryItems, queryPartition, readItem } from './query.ts';
import { mergeSorted } from './sorted-merge.ts';
import { indexes, type Table } from './table.ts';
import type { Key } from './writes.ts';

export async function readGeneration(table: Table, accountId: string, id: string): Promise<Generation | undefined> {
  const item = await readItem(table, generationKey(accountId, id));
  return item && generationFrom(item);
}

/** The record of an entry of the sweep index, read consistently. */
export async function readPending(table: Table, { key }: PendingEntry): Promise<Generation | undefined> {
  const item = await readItem(table, key);
  return item && generationFrom(item);
}

/** Due before anything else: the `sweep_at` of a complete measurement, which can be settled without further checks. */
export const DUE_AT_ONCE_MS = 0;

/** What the index says of a pending generation. */
export interface PendingEntry {
  key: Key;
  bootId: string | undefined;
  isDueAtOnce: boolean;
}

/** Pending generations in the order in which they may be swept; read from the index, so possibly stale. */
export async function* pendingGenerations(
  table: Table,
  upTo: { sweepAtMs?: number },
): AsyncGenerator<PendingEntry, void> {
  const { partition, sort, name } = indexes.sweep;
  const all = upTo.sweepAtMs === undefined;
  const dueAtOnce = new Date(DUE_AT_ONCE_MS).toISOString();
  for (const shard of sweepPartitions) {
    const entries = queryItems(table, {
      IndexName: name,
      KeyConditionExpression: all ? '#shard = :shard' : '#shard = :shard AND #at <= :at',
      ExpressionAttributeNames: all ? { '#shard': partition } : { '#shard': partition, '#at': sort },
      ExpressionAttributeValues: all
        ? { ':shard': shard }
        : { ':shard': shard, ':at': new Date(upTo.sweepAtMs!).toISOString() },
    });
    for await (const entry of entries) {
      yield {
        key: { pk: entry['pk'] as string, sk: entry['sk'] as string },
        bootId: entry['boot_id'] as string | undefined,
        isDueAtOnce: entry[sort] === dueAtOnce,
      };
    }
  }
}

/** Every generation of an account's UTC day, read consistently from the base table. */
export async function* generationsOfDay(table: Table, accountId: string, date: string): AsyncGenerator<Generation> {
  for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) yield* generationsOfShard(table, accountId, date, shard);
}

/** The part of a day's generations that one partition holds. */
export async function* generationsOfShard(
  table: Table,
  accountId: string,
  date: string,
  shard: number,
): AsyncGenerator<Generation, void> {
  for await (const item of queryPartition(table, generationPartition(accountId, date, shard), 'gen-')) {
    if (item['entity'] === 'generation') yield generationFrom(item);
  }
}

/** Every generation of an account's UTC day in the order of ids, which is that of their admission. */
export function generationsInOrder(table: Table, accountId: string, date: string): AsyncGenerator<Generation, void> {
  const shards = Array.from({ length: GENERATION_SHARDS }, (_, shard) =>
    generationsOfShard(table, accountId, date, shard),
  );
  return mergeSorted(shards, (a, b) => a.id < b.id);
}

const GENERATION_PAGE = 50;

/** Generations of each shard of an account's UTC day, newest first, and older than the id `before`. */
export function generationsOfShards(table: Table, accountId: string, date: string, before: string) {
  return Array.from({ length: GENERATION_SHARDS }, (_, shard) =>
    newestGenerationsFirst(table, generationPartition(accountId, date, shard), before),
  );
}

async function* newestGenerationsFirst(
  table: Table,
  partition: string,
  before: string,
): AsyncGenerator<Generation, void> {
  const items = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': partition, ':before': before },
    ScanIndexForward: false,
    Limit: GENERATION_PAGE,
  });
  for await (const item of items) if (item['entity'] === 'generation') yield generationFrom(item);
}
