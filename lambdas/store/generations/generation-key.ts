/**
 * Partitions of generations. A partition is named by account, UTC day and shard, which follow from the caller's account
 * and the generation's id. A generation is therefore read and written by its key, and a day can be read without an
 * index.
 *
 * A partition accepts 1,000 write units per second, and DynamoDB does not split a partition whose keys ascend with
 * time. The records of a busy account are therefore spread: each shard of its days has eight more partitions. A spread
 * id contains the number of its partition, so a reader with an id need not know whether the account's records are
 * spread.
 * Readers of a day need the time at which spreading began (`recordsSpreadSince`).
 */

import { utcDate } from '../../money/periods.ts';
import { generationTimeMs, isSpreadId, spreadId } from '../../platform/ids.ts';
import type { Account } from '../accounts/accounts.ts';
import type { Key } from '../table/writes.ts';

/** Number of shards into which the records of a day are divided. A list of the day reads each shard. */
export const GENERATION_SHARDS = 8;
/** Number of additional partitions of a shard whose records are spread. */
export const SPREAD_PARTITIONS = 8;
/**
 * Number of partitions of the sweep index for pending generations without a spread id, so that no partition gets too
 * many writes.
 */
export const SWEEP_SHARDS = 16;
const SPREAD_SWEEP_SHARDS = 64;

/**
 * Returns the id under which a request is recorded. Only requests that begin after spreading began get a spread id, so
 * earlier days have no spread ids.
 */
export function recordedId({ recordsSpreadSince: since }: Account, id: string): string {
  return since !== undefined && generationTimeMs(id)! >= Date.parse(since) ? spreadId(id) : id;
}

/**
 * Returns the key of a generation.
 * @throws {RangeError} if the id is not a generation id
 */
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
 * Returns the partitions of a shard of a day.
 * @param isSpread whether some of the shard's records may be spread
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

/** Returns the number of the shard to which a generation belongs. */
export function shardOf(id: string): number {
  return digitsOf(id, -1) % GENERATION_SHARDS;
}

/**
 * Partitions of the sweep index. A pending generation with a spread id may be in any of these partitions, and all other
 * pending generations in the first 16.
 */
export const sweepPartitions = Array.from({ length: SPREAD_SWEEP_SHARDS }, (_, shard) => `SWEEP#${shard}`);

export function sweepPartitionOf(id: string): string {
  return sweepPartitions[
    isSpreadId(id) ? digitsOf(id, -4, -2) % SPREAD_SWEEP_SHARDS : digitsOf(id, -2, -1) % SWEEP_SHARDS
  ]!;
}

/** Returns some of an id's random hex digits as a number. */
function digitsOf(id: string, from: number, to?: number): number {
  return Number.parseInt(id.slice(from, to), 16);
}
