/** At the expiry of Idempotency-Keys, the read and the condition of the write must agree. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keepAnswerPut, readAnswer } from '../../lambdas/store/accounts/idempotency.ts';
import { claimEnd, claimPut, readClaim } from '../../lambdas/store/generations/inference-claims.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import type { Write } from '../../lambdas/store/table/writes.ts';
import { newTable } from '../support/table.ts';

const EXPIRES_AT_MS = Date.UTC(2026, 10, 20, 12);

interface Kind {
  what: string;
  write: (table: Table, name: string, atMs: number) => Write;
  read: (table: Table, name: string, atMs: number) => Promise<object | undefined>;
}

const kinds: Kind[] = [
  {
    what: 'the claim of an inference request',
    write: (table, name, atMs) =>
      claimPut(
        table,
        name,
        { generationId: 'gen-1', fingerprint: 'f', expiresAtMs: EXPIRES_AT_MS },
        { atMs, replaced: undefined },
      ),
    read: readClaim,
  },
  {
    what: 'the stored answer of a management request',
    write: (table, name, atMs) =>
      keepAnswerPut(table, name, { fingerprint: 'f', sealed: 's', expiresAtMs: EXPIRES_AT_MS }, atMs),
    read: readAnswer,
  },
];

const isMade = async (table: Table, write: Write) => (await transact(table, { write })).committed;

describe.each(kinds)('$what', ({ write, read }) => {
  it.each([
    [-1, false],
    [0, false],
    [1, true],
    [999, true],
    [1_000, true],
    [1_001, true],
  ])('at %i ms after its expiry is free for reads and writes alike: %s', async (afterMs, isFree) => {
    const table = await newTable();
    const [name, atMs] = [randomUUID(), EXPIRES_AT_MS + afterMs];
    await isMade(table, write(table, name, EXPIRES_AT_MS - 1_000));

    expect((await read(table, name, atMs)) === undefined).toBe(isFree);
    expect(await isMade(table, write(table, name, atMs))).toBe(isFree);
  });
});

it('a claim that was ended is free at once, for reads and writes alike', async () => {
  const [{ write, read }] = kinds as [Kind];
  const table = await newTable();
  const atMs = EXPIRES_AT_MS - 10_000;
  await isMade(table, write(table, 'name', atMs));
  await isMade(table, claimEnd(table, 'name', 'gen-1', atMs));

  expect(await read(table, 'name', atMs)).toBe(undefined);
  expect(await isMade(table, write(table, 'name', atMs))).toBe(true);
});
