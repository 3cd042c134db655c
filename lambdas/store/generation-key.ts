/**
 * Where a generation is kept: its partition is (account, UTC day, shard), all derived from the caller and the id, so it is
 * read and written by key, and a day can be read without an index.
 */

import { utcDate } from '../money/periods.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { Key } from './writes.ts';

export const GENERATION_SHARDS = 8;
/** Partitions of the sweep index: pending generations are spread over them, so that none gets hot. */
const SWEEP_SHARDS = 16;

/** @throws {RangeError} when the id is not a generation id. */
export function generationKey(accountId: string, id: string): Key {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  return { pk: generationPartition(accountId, utcDate(timeMs), shardOf(id)), sk: id };
}

export function generationPartition(accountId: string, date: string, shard: number): string {
  return `GENERATION#${accountId}#${date}#${shard}`;
}

/** The shard of its day that a generation is in. */
export function shardOf(id: string): number {
  return Number.parseInt(id.at(-1)!, 16) % GENERATION_SHARDS;
}

/** Partitions of the sweep index; a pending generation is in one of them. */
export const sweepPartitions = Array.from({ length: SWEEP_SHARDS }, (_, shard) => `SWEEP#${shard}`);

export function sweepPartitionOf(id: string): string {
  return sweepPartitions[Number.parseInt(id.at(-2)!, 16) % SWEEP_SHARDS]!;
}
