import { utcDate } from '../money/periods.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { Key } from './writes.ts';

/**
 * Where a generation stands: its partition is (account, UTC day, shard), all derivable from the caller and the id, so it
 * is read and written by key, and a day can be read without an index.
 */
export const GENERATION_SHARDS = 8;
/** Partitions of the sweep index: pending generations spread over them, so no index partition runs hot. */
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

/** The part of its day's partitions in which a generation is. */
export function shardOf(id: string): number {
  return Number.parseInt(id.at(-1)!, 16) % GENERATION_SHARDS;
}

/** Partitions of the sweep index, and the one in which a generation is while it is pending. */
export const sweepPartitions = Array.from({ length: SWEEP_SHARDS }, (_, shard) => `SWEEP#${shard}`);

export function sweepPartitionOf(id: string): string {
  return sweepPartitions[Number.parseInt(id.at(-2)!, 16) % SWEEP_SHARDS]!;
}
