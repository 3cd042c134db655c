/**
 * The partition of a generation is (account, UTC day, shard), all derived from the caller and the id. So it is read and
 * written by key, and a day can be read without an index.
 *
 * A partition takes 1,000 write units a second, and DynamoDB does not split one whose keys grow with time. So the
 * records of a busy account are spread: each shard of its days has eight more partitions. The id contains the
 * partition, so readers with an id do not need the account. Readers of a day need to know since when the account's
 * records are spread (`recordsSpreadSince`).
 */

import { utcDate } from '../../money/periods.ts';
import { generationTimeMs, isSpreadId, spreadId } from '../../platform/ids.ts';
import type { Account } from '../accounts/accounts.ts';
import type { Key } from '../table/writes.ts';

/** The parts of a day by which it is rolled up, listed and compared. */
export const GENERATION_SHARDS = 8;
/** Partitions of a shard whose records are spread. */
export const SPREAD_PARTITIONS = 8;
/** Partitions of the sweep index. Pending generations are spread over them, so that none gets hot. */
export const SWEEP_SHARDS = 16;
const SPREAD_SWEEP_SHARDS = 64;

/**
 * The id under which a request is recorded. Only requests that begin after its account's records were spread have a
 * spread id, so the date of a day alone decides whether it may have any.
 */
export function recordedId({ recordsSpreadSince: since }: Account, id: string): string {
  return since !== undefined && generationTimeMs(id)! >= Date.parse(since) ? spreadId(id) : id;
}

/** @throws {RangeError} if the id is not a generation id. */
export function generationKey(accountId: string, id: string): Key {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  const partition = isSpreadId(id) ? digitsOf(id, -2, -1) % SPREAD_PARTITIONS : undefined;
  return { pk: partitionOf({ accountId, date: utcDate(timeMs), shard: shardOf(id) }, partition), sk: id };
}

/** One shard of an account's UTC day. */
export interface DayShard {
  accountId: string;
  date: string;
  shard: number;
}

/**
 * The partitions of a shard of a day.
 * @param isSpread whether some of its records may be spread
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

/** The shard of its day that a generation belongs to. */
export function shardOf(id: string): number {
  return digitsOf(id, -1) % GENERATION_SHARDS;
}

/**
 * Partitions of the sweep index. A pending generation is in one of them, or in one of the first if its id is not a
 * spread id.
 */
export const sweepPartitions = Array.from({ length: SPREAD_SWEEP_SHARDS }, (_, shard) => `SWEEP#${shard}`);

export function sweepPartitionOf(id: string): string {
  return sweepPartitions[
    isSpreadId(id) ? digitsOf(id, -4, -2) % SPREAD_SWEEP_SHARDS : digitsOf(id, -2, -1) % SWEEP_SHARDS
  ]!;
}

/** Hex digits at the end of an id, which are random. */
function digitsOf(id: string, from: number, to?: number): number {
  return Number.parseInt(id.slice(from, to), 16);
}
