import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import { createKey, deleteKey, updateKey } from '../../lambdas/management/keys.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { allKeys, inferenceKeysOf, keyPage } from '../../lambdas/store/accounts/key-directory.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { startCapacityMeter, type CapacityMeter } from '../support/capacity-meter.ts';
import { newTable, tableThrough } from '../support/table.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let table: Table;
let context: ChangeContext;
let workspaceId: string;
beforeAll(async () => (table = await newTable()));

async function newAccount(): Promise<void> {
  const account = await createAccount(table, operator, { name: 'Test', mode: 'postpaid' });
  context = { table, accountId: account.id, actor: operator };
  workspaceId = account.defaultWorkspaceId;
}

const newKey = (memberId?: string) =>
  createKey(context, 'pepper', { kind: 'inference', workspaceId, memberId, name: 'k' });
const allOf = (includeDisabled = true) => inferenceKeysOf({ workspaceId, includeDisabled });

async function walk(through: Table, limit: number, includeDisabled = true): Promise<string[]> {
  const hashes: string[] = [];
  for (;;) {
    const page = await keyPage(through, allOf(includeDisabled), { offset: hashes.length, limit });
    hashes.push(...page.hashes);
    if (hashes.length >= page.total) return hashes;
  }
}

describe('the list of keys', () => {
  it('has every key in the order of creation, and counts exactly', async () => {
    await newAccount();
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) made.push((await newKey()).key.hash);
    expect(await keyPage(table, allOf(), { offset: 0, limit: 100 })).toEqual({ hashes: made, total: 7 });
    expect(await walk(table, 2)).toEqual(made);
  });

  it('keeps one order if keys are created concurrently', async () => {
    await newAccount();
    const made = await Promise.all(Array.from({ length: 20 }, () => newKey()));
    const { hashes, total } = await keyPage(table, allOf(), { offset: 0, limit: 100 });
    expect(total).toBe(20);
    expect(hashes.toSorted()).toEqual(made.map(({ key }) => key.hash).toSorted());
    const createdAt = hashes.map((hash) => made.find(({ key }) => key.hash === hash)!.key.createdAt);
    expect(createdAt).toEqual(createdAt.toSorted());
  });

  it('returns each key once while others are created', async () => {
    await newAccount();
    for (let index = 0; index < 6; index += 1) await newKey();
    const before = (await keyPage(table, allOf(), { offset: 0, limit: 6 })).hashes;
    const first = await keyPage(table, allOf(), { offset: 0, limit: 4 });
    await newKey();
    const second = await keyPage(table, allOf(), { offset: 4, limit: 4 });
    expect([...first.hashes, ...second.hashes].slice(0, 6)).toEqual(before);
    expect(second.total).toBe(7);
  });

  it('leaves out disabled keys on request, and has them in their place after they are enabled', async () => {
    await newAccount();
    const hashes = [(await newKey()).key.hash, (await newKey()).key.hash, (await newKey()).key.hash];
    await updateKey(context, { hash: hashes[1]! }, { disabled: true });
    expect(await keyPage(table, allOf(false), { offset: 0, limit: 9 })).toEqual({
      hashes: [hashes[0], hashes[2]],
      total: 2,
    });
    await updateKey(context, { hash: hashes[1]! }, { disabled: false });
    expect(await keyPage(table, allOf(false), { offset: 0, limit: 9 })).toEqual({ hashes, total: 3 });
  });

  it('drops deleted keys, and bookmarks of their positions', async () => {
    await newAccount();
    const hashes: string[] = [];
    for (let index = 0; index < 45; index += 1) hashes.push((await newKey()).key.hash);
    expect(await walk(table, 20)).toEqual(hashes);
    await deleteKey(context, { hash: hashes[3]! });
    const left = hashes.filter((hash) => hash !== hashes[3]);
    expect(await keyPage(table, allOf(), { offset: 20, limit: 20 })).toEqual({ hashes: left.slice(20, 40), total: 44 });
  });

  it('is read as a whole without a gap, even if an earlier key is deleted during the read', async () => {
    await newAccount();
    const made = Array.from({ length: 102 }, () => newKey());
    await Promise.all(made);
    const { hashes } = await keyPage(table, allOf(), { offset: 0, limit: 102 });
    const read: string[] = [];
    for await (const hash of allKeys(table, allOf())) {
      if (read.push(hash) === 1) await deleteKey(context, { hash });
    }
    expect(read).toEqual(hashes);
  });
});

/** The entries are written directly, because creating the keys would take minutes. */
describe('a list of 10,000 keys', () => {
  const COUNT = 10_000;
  /** Upper bound of the size of an entry, which is read in units of 4 KB. */
  const ENTRY_BYTES = 160;
  let meter: CapacityMeter;
  let metered: Table;
  let hashes: string[];
  beforeAll(async () => {
    await newAccount();
    meter = await startCapacityMeter(inject('dynamodbEndpoint'));
    metered = tableThrough(meter.endpoint, table);
    hashes = Array.from({ length: COUNT }, () => randomUUID().replaceAll('-', '').repeat(2));
    const entries = hashes.map((hash, index) => ({
      pk: `KEYS#${allOf()}`,
      sk: `${new Date(1_800_000_000_000 + index).toISOString()}#${hash}`,
    }));
    for (let start = 0; start < COUNT; start += 25) {
      const puts = entries.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
      await documentsOf(table).send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
    }
    await documentsOf(table).send(
      new PutCommand({
        TableName: table.name,
        Item: { pk: `KEYS#${allOf()}`, sk: 'TALLY', entries: COUNT, removals: 0 },
      }),
    );
  }, 180_000);
  afterAll(() => meter.stop());

  const readingAll = Math.ceil((COUNT * ENTRY_BYTES) / 4_096);

  it('is read in order, and each of its entries about once', async () => {
    meter.reset();
    expect(await walk(metered, 100)).toEqual(hashes);
    const pages = COUNT / 100;
    // A page also reads the count before and after its entries, reads a bookmark, and writes a bookmark.
    expect(meter.units).toBeLessThan(readingAll + pages * (2 + 1 + 1 + 1));
  });

  it('reads at most the entries before a position, and those of its page, for a jump to that position', async () => {
    const fresh = inferenceKeysOf({ workspaceId: 'no bookmarks', includeDisabled: true });
    await documentsOf(table).send(
      new PutCommand({
        TableName: table.name,
        Item: { pk: `KEYS#${fresh}`, sk: 'TALLY', entries: 5_000, removals: 0 },
      }),
    );
    const puts = hashes.slice(0, 5_000).map((hash, index) => ({
      PutRequest: { Item: { pk: `KEYS#${fresh}`, sk: `${new Date(1_800_000_000_000 + index).toISOString()}#${hash}` } },
    }));
    for (let start = 0; start < puts.length; start += 25) {
      const batch = { RequestItems: { [table.name]: puts.slice(start, start + 25) } };
      await documentsOf(table).send(new BatchWriteCommand(batch));
    }
    meter.reset();
    const page = await keyPage(metered, fresh, { offset: 2_000, limit: 50 });
    expect(page).toEqual({ hashes: hashes.slice(2_000, 2_050), total: 5_000 });
    expect(meter.units).toBeLessThan(Math.ceil((2_050 * ENTRY_BYTES) / 4_096) + 8);
  });

  it('is read one by one without repeated reads of all entries', async () => {
    meter.reset();
    for (let offset = 5_000; offset < 5_060; offset += 1) {
      const { hashes: one } = await keyPage(metered, allOf(), { offset, limit: 1 });
      expect(one).toEqual([hashes[offset]]);
    }
    expect(meter.units / 60).toBeLessThan(5);
  });
});
