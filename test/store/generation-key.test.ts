import { describe, expect, it } from 'vitest';
import type { Account } from '../../lambdas/store/accounts/accounts.ts';
import {
  GENERATION_SHARDS,
  generationKey,
  generationPartitions,
  recordedId,
  shardOf,
  SPREAD_PARTITIONS,
  sweepPartitionOf,
  sweepPartitions,
} from '../../lambdas/store/generations/generation-key.ts';
import { generationTimeMs, isSpreadId, spreadId, uuidv7 } from '../../lambdas/platform/ids.ts';

const ATTEMPTS = 5_000;
const atMs = Date.parse('2026-11-25T12:00:00Z');
const newIds = Array.from({ length: ATTEMPTS }, () => `gen-${uuidv7(atMs)}`);
const day = { accountId: 'a', date: '2026-11-25' };

const account = (since: string | undefined) => ({ recordsSpreadSince: since }) as Account;
const partitionsOf = (ids: string[]) => new Set(ids.map((id) => generationKey('a', id).pk));

describe('the partition of a record', () => {
  it('is one of eight of its day, or of 64 if the record is spread', () => {
    expect(partitionsOf(newIds).size).toBe(GENERATION_SHARDS);
    expect(partitionsOf(newIds.map(spreadId)).size).toBe(GENERATION_SHARDS * SPREAD_PARTITIONS);
  });

  it('is among those that are read for its shard', () => {
    for (const id of newIds.slice(0, 200)) {
      const shard = shardOf(id);
      expect(generationPartitions({ ...day, shard }, false)).toEqual([generationKey('a', id).pk]);
      expect(shardOf(spreadId(id))).toBe(shard);
      expect(generationPartitions({ ...day, shard }, true)).toContain(generationKey('a', spreadId(id)).pk);
    }
  });

  it('cannot be computed for an invalid id', () => {
    expect(() => generationKey('a', 'gen-01a1faa2-7c1e-4b9a-8f00-3d5c1a2b4c6d')).toThrow(RangeError);
  });
});

describe('the partition of a record in the index of the sweep', () => {
  it('is one of the first sixteen, or of all if the record is spread', () => {
    const narrow = new Set(newIds.map(sweepPartitionOf));
    const wide = new Set(newIds.map(spreadId).map(sweepPartitionOf));

    expect(narrow).toEqual(new Set(sweepPartitions.slice(0, 16)));
    expect(wide).toEqual(new Set(sweepPartitions));
  });
});

describe('the id of a record', () => {
  it('keeps its time, spread or not', () => {
    expect([newIds[0]!, spreadId(newIds[0]!)].map(generationTimeMs)).toEqual([atMs, atMs]);
    expect(isSpreadId(newIds[0]!)).toBe(false);
  });

  it.each([
    ['an account without spread records', undefined, false],
    ['a request that began a moment before they were', '2026-11-25T12:00:00.001Z', false],
    ['a request of the same moment', '2026-11-25T12:00:00.000Z', true],
    ['a request of the days after', '2026-11-20T12:00:00.000Z', true],
  ])('shows whether the record is spread: %s', (_, since, isSpread) => {
    expect(isSpreadId(recordedId(account(since), newIds[0]!))).toBe(isSpread);
  });
});
