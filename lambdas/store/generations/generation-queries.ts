import { utcDate } from '../../money/periods.ts';
import { firstGenerationId } from '../../platform/ids.ts';
import { generationFrom, type Generation } from './generation.ts';
import { readAccount } from '../accounts/accounts.ts';
import {
  GENERATION_SHARDS,
  generationKey,
  generationPartitions,
  sweepPartitions,
  type DayShard,
} from './generation-key.ts';
import { queryItems, queryPartition, readItem } from '../table/query.ts';
import { mergeSorted } from '../table/sorted-merge.ts';
import { indexes, type Table } from '../table/table.ts';
import type { Key } from '../table/writes.ts';

export async function readGeneration(table: Table, accountId: string, id: string): Promise<Generation | undefined> {
  const item = await readItem(table, generationKey(accountId, id));
  return item && generationFrom(item);
}

/** Returns the generation of an index entry, with a consistent read of the table. */
export async function readPending(table: Table, { key }: PendingEntry): Promise<Generation | undefined> {
  const item = await readItem(table, key);
  return item && generationFrom(item);
}

/** Value of `sweep_at` for a generation that the sweep can settle at once. */
export const DUE_AT_ONCE_MS = 0;

export interface PendingEntry {
  key: Key;
  bootId: string | undefined;
  isDueAtOnce: boolean;
}

/** Yields pending generations from the index, which may be slightly out of date. */
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

export async function* generationsOfDay(table: Table, accountId: string, date: string): AsyncGenerator<Generation> {
  for (const partition of await partitionsOfDay(table, accountId, date))
    yield* generationsOfPartition(table, partition);
}

/** Yields the generations that were admitted between two times in one UTC day, both included. */
export async function* generationsBetween(
  table: Table,
  accountId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): AsyncGenerator<Generation, void> {
  for (const partition of await partitionsOfDay(table, accountId, utcDate(fromMs))) {
    const items = queryItems(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': partition,
        ':from': firstGenerationId(fromMs),
        ':to': firstGenerationId(toMs + 1),
      },
    });
    for await (const item of items) if (item['entity'] === 'generation') yield generationFrom(item);
  }
}

/** Yields generations ordered by id. */
export async function* generationsOfShard(table: Table, of: DayShard): AsyncGenerator<Generation, void> {
  yield* inOrderOfIds(table, generationPartitions(of, await areRecordsSpread(table, of)));
}

/** Yields generations ordered by id, and so nearly by admission. */
export async function* generationsInOrder(
  table: Table,
  accountId: string,
  date: string,
): AsyncGenerator<Generation, void> {
  yield* inOrderOfIds(table, await partitionsOfDay(table, accountId, date));
}

function inOrderOfIds(table: Table, partitions: readonly string[]): AsyncGenerator<Generation, void> {
  return mergeSorted(
    partitions.map((partition) => generationsOfPartition(table, partition)),
    (a, b) => a.id < b.id,
  );
}

/** Approximate number of records that a list reads at a time, from all partitions together. */
const RECORDS_AT_ONCE = 400;

/** Returns, for each partition of a day, the generations before the id `before`, newest first. */
export async function generationsOfPartitions(table: Table, accountId: string, date: string, before: string) {
  const partitions = await partitionsOfDay(table, accountId, date);
  const page = Math.ceil(RECORDS_AT_ONCE / partitions.length);
  return partitions.map((partition) => newestGenerationsFirst(table, partition, { before, page }));
}

async function partitionsOfDay(table: Table, accountId: string, date: string): Promise<string[]> {
  const isSpread = await areRecordsSpread(table, { accountId, date });
  return Array.from({ length: GENERATION_SHARDS }, (_, shard) =>
    generationPartitions({ accountId, date, shard }, isSpread),
  ).flat();
}

async function areRecordsSpread(table: Table, { accountId, date }: Omit<DayShard, 'shard'>): Promise<boolean> {
  const since = (await readAccount(table, accountId))?.recordsSpreadSince;
  return since !== undefined && date >= since.slice(0, date.length);
}

async function* generationsOfPartition(table: Table, partition: string): AsyncGenerator<Generation, void> {
  for await (const item of queryPartition(table, partition, 'gen-')) {
    if (item['entity'] === 'generation') yield generationFrom(item);
  }
}

async function* newestGenerationsFirst(
  table: Table,
  partition: string,
  { before, page }: { before: string; page: number },
): AsyncGenerator<Generation, void> {
  const items = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': partition, ':before': before },
    ScanIndexForward: false,
    Limit: page,
  });
  for await (const item of items) if (item['entity'] === 'generation') yield generationFrom(item);
}
