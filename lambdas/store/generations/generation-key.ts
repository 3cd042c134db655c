/**
 * Partitions of generations. A partition is named by account, UTC day and shard, so a day can be read without an index.
 *
 * DynamoDB does not split a partition whose keys ascend with time, so the records of a busy account are spread over
 * more partitions. A spread id contains the number of its partition. Readers of a day need the time at which spreading
 * began (`recordsSpreadSince`).
 */

import { utcDate } from '../../money/periods.ts';
import { generationTimeMs, isSpreadId, spreadId } from '../../platform/ids.ts';
import type { Account } from '../accounts/accounts.ts';
import type { Key } from '../table/writes.ts';

/** Number of shards into which the records of a day are divided. */
export const GENERATION_SHARDS = 8;
/** Number of additional partitions of a shard whose records are spread. */
export const SPREAD_PARTITIONS = 8;
/** Number of partitions of the sweep index for pending generations without a spread id. */
export const SWEEP_SHARDS = 16;
const SPREAD_SWEEP_SHARDS = 64;

/** Returns the id under which a request is recorded. Requests from before spreading began get no spread id. */
export function recordedId({ recordsSpreadSince: since }: Account, id: string): string {
  return since !== undefined && generationTimeMs(id)! >= Date.parse(since) ? spreadId(id) : id;
}

/**
 * Returns the key of a generation's record.
 * @throws {RangeError} if the id is not a generation id
 */
export function generationKey(accountId: string, id: string): Key {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  const partition = isSpreadId(id) ? digitsOf(id, -2, -1) % SPREAD_PARTITIONS : undefined;
  return { pk: partitionOf({ accountId, date: utcDate(timeMs), shard: shardOf(id) }, partition), sk: id };
}

export interface DayShard {
  accountId: string;
  date: string;
  shard: number;
}

/**
 * Returns the partition keys of a shard's records.
 * @param isSpread whether some of the records may be spread
 */
export function generationPartitions(of: DayShard, isSpread: boolean): string[] {
  const spread = isSpread
    ? Array.from({ length: SPREAD_PARTITIONS }, (_, partition) => partitionOf(of, partition))
    : [];
  return [partitionOf(of), ...spread];
}

function partitionOf({ accountId, date, shard }: DayShard, spread?: number): string {
  const partition = `GENERATION#${accountId}#${date}#${shard}`;
  return spread === undefined ? partition : `${partition}#${spread}`;
}

export function shardOf(id: string): number {
  return digitsOf(id, -1) % GENERATION_SHARDS;
}

/** Partitions of the sweep index. Pending generations without a spread id are in the first SWEEP_SHARDS partitions. */
export const sweepPartitions = Array.from({ length: SPREAD_SWEEP_SHARDS }, (_, shard) => `SWEEP#${shard}`);

export function sweepPartitionOf(id: string): string {
  return sweepPartitions[
    isSpreadId(id) ? digitsOf(id, -4, -2) % SPREAD_SWEEP_SHARDS : digitsOf(id, -2, -1) % SWEEP_SHARDS
  ]!;
}

function digitsOf(id: string, from: number, to?: number): number {
  return Number.parseInt(id.slice(from, to), 16);
}
