/**
 * Data of sealed days (days whose billing lines are signed and cannot change) in the table. The sealed files themselves
 * are in immutable storage.
 *
 * The data of a day is stored under the root of its hash tree. If a run dies before it stores its statement, nothing
 * refers to that run's root, so nothing reads its data.
 */

import { batchWrite } from '../table/batch-write.ts';
import { queryItems, queryPartition, readItem, readItems } from '../table/query.ts';
import { count, money, oneOf, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Item, Table } from '../table/table.ts';
import { transact } from '../table/transact.ts';
import { put, putNew, type Key } from '../table/writes.ts';

const sealHeadRecord = record({
  /** Last processed day, which is sealed or had nothing to seal. */
  through: text('through'),
  /** Last day with a statement; absent before the first statement. */
  date: optional(text('date')),
  sha256: optional(text('statement_sha256')),
  root: optional(text('root')),
  usage: money('usage_rub'),
  paid: money('paid_rub'),
});
export type SealHead = RecordOf<typeof sealHeadRecord>;

const sealedDayRecord = record({
  date: text('date'),
  /** Text of the statement's file. */
  statement: text('statement'),
  sha256: text('statement_sha256'),
  root: text('root'),
  leaves: count('leaves'),
  /** ECDSA signature over the statement, in DER, as Base64. */
  signature: text('signature'),
  keyId: text('key_id'),
});
export type SealedDay = RecordOf<typeof sealedDayRecord>;

export const sealedDayAttributes = [
  ...record({ accountId: text('account_id') }).attributes,
  ...sealedDayRecord.attributes,
];

const openEntryRecord = record({
  id: text('id'),
  /** `pending`: not settled. `estimated`: settled by the sweep with an estimate, which may still be corrected. */
  state: oneOf('state', ['pending', 'estimated']),
});
/** A generation whose settlement or correction will be sealed on a later day, if there is one. */
export type OpenEntry = RecordOf<typeof openEntryRecord>;

export interface Leaf {
  /** Owner in 16 bytes: the generation's id, or 0xff bytes for a line without a generation. */
  owner: Buffer;
  hash: Buffer;
}

function accountPartition(accountId: string): string {
  return `SEALS#${accountId}`;
}

function headKey(accountId: string): Key {
  return { pk: accountPartition(accountId), sk: 'HEAD' };
}

function dayKey(accountId: string, date: string): Key {
  return { pk: accountPartition(accountId), sk: `DAY#${date}` };
}

function partsPartition(accountId: string, { date, root }: { date: string; root: string }): string {
  return `SEALS#${accountId}#${date}#${root}`;
}

/** Returns the progress of an account; undefined before its first day was processed. */
export async function readSealHead(table: Table, accountId: string): Promise<SealHead | undefined> {
  const item = await readItem(table, headKey(accountId));
  return item && sealHeadRecord.from(item);
}

/**
 * Advances the progress of an account, and writes the sealed day, if any.
 * @returns false if another run has advanced the progress
 */
export async function moveSealHead(
  table: Table,
  accountId: string,
  { from, to, day }: { from: SealHead | undefined; to: SealHead; day: SealedDay | undefined },
): Promise<boolean> {
  const item = { ...headKey(accountId), entity: 'seal_head', account_id: accountId, ...sealHeadRecord.toItem(to) };
  const outcome = await transact(table, {
    head: from ? put(table, item, { equal: { through: from.through } }) : putNew(table, item),
    ...(day
      ? {
          day: putNew(table, {
            ...dayKey(accountId, day.date),
            entity: 'sealed_day',
            account_id: accountId,
            ...sealedDayRecord.toItem(day),
          }),
        }
      : {}),
  });
  return outcome.committed;
}

export async function readSealedDay(table: Table, accountId: string, date: string): Promise<SealedDay | undefined> {
  const item = await readItem(table, dayKey(accountId, date));
  return item && sealedDayRecord.from(item);
}

/** Yields days with a statement, oldest first, both dates included. */
export async function* sealedDays(
  table: Table,
  accountId: string,
  { from, to }: { from: string; to: string },
): AsyncGenerator<SealedDay, void> {
  const items = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': accountPartition(accountId), ':from': `DAY#${from}`, ':to': `DAY#${to}` },
  });
  for await (const item of items) yield sealedDayRecord.from(item);
}

/** Maximum numbers of entries in one item, which keep the item below DynamoDB's limit of 400 KB. */
const OPEN_OF_AN_ITEM = 4_000;
const ROOTS_OF_AN_ITEM = 4_096;
const CHUNKS_AT_ONCE = 100;

type PartOfDay = Item & Pick<Key, 'sk'>;

interface LeafTree {
  /** For each chunk, the owner of its first leaf, and its root. */
  index: readonly Leaf[];
  /** Returns the leaves of each chunk, in order. */
  chunks: () => AsyncIterable<Buffer>;
}

/** Stores the hash tree and the open generations of a day. Call this before anything refers to the day's root. */
export async function keepDayParts(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
  tree: LeafTree,
  open: readonly OpenEntry[],
): Promise<void> {
  const part = { pk: partsPartition(accountId, of), entity: 'seal_part' };
  // 25 items of 400 KB stay below the 16 MB of a BatchWriteItem call.
  const keep = (items: PartOfDay[]) =>
    batchWrite(
      table,
      items.map((item) => ({ PutRequest: { Item: { ...part, ...item } } })),
    );
  await keep([
    ...partsOf(tree.index, ROOTS_OF_AN_ITEM).map((roots, at) => ({ sk: rootsName(at), leaves: leavesAsText(roots) })),
    ...partsOf(open, OPEN_OF_AN_ITEM).map((some, at) => ({ sk: `OPEN#${at}`, open: some.map(openEntryRecord.toItem) })),
  ]);
  let items: PartOfDay[] = [];
  let place = 0;
  for await (const leaves of tree.chunks()) {
    items.push({ sk: chunkName(place), leaves: leaves.toString('base64') });
    place += 1;
    if (items.length < CHUNKS_AT_ONCE) continue;
    await keep(items);
    items = [];
  }
  await keep(items);
}

function partsOf<Part>(all: readonly Part[], size: number): (readonly Part[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** Returns open generations, ordered by id. */
export async function readOpenEntries(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
): Promise<OpenEntry[]> {
  const items = await Array.fromAsync(queryPartition(table, partsPartition(accountId, of), 'OPEN#'));
  const entries = items.flatMap(({ open }) => (open as Record<string, unknown>[]).map(openEntryRecord.from));
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns each chunk's root, and the owner of its first leaf. */
export async function readChunkRoots(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
): Promise<Leaf[]> {
  const items = await Array.fromAsync(queryPartition(table, partsPartition(accountId, of), 'CHUNKS'));
  return items.flatMap(({ leaves }) => leavesFromText(leaves as string));
}

/** Returns leaves by chunk index. */
export async function readChunks(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
  places: readonly number[],
): Promise<Map<number, Leaf[]>> {
  const pk = partsPartition(accountId, of);
  const items = await readItems(
    table,
    places.map((place) => ({ pk, sk: chunkName(place) })),
  );
  return new Map(
    items.map((item) => [Number((item['sk'] as string).split('#')[1]), leavesFromText(item['leaves'] as string)]),
  );
}

/** Records that earlier generations, or their corrections, were sealed on this day. */
export async function keepLateSeals(
  table: Table,
  accountId: string,
  date: string,
  ids: readonly string[],
): Promise<void> {
  await batchWrite(
    table,
    ids.map((id) => ({
      PutRequest: { Item: { pk: accountPartition(accountId), sk: `LATE#${id}#${date}`, entity: 'late_seal', date } },
    })),
  );
}

/** Returns the later days on which a generation was sealed. */
export async function lateSealsOf(table: Table, accountId: string, id: string): Promise<string[]> {
  const dates: string[] = [];
  const items = queryItems(table, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': accountPartition(accountId), ':prefix': `LATE#${id}#` },
  });
  for await (const item of items) dates.push(item['date'] as string);
  return dates;
}

function chunkName(place: number): string {
  return `CHUNK#${String(place).padStart(6, '0')}`;
}

function rootsName(at: number): string {
  return at === 0 ? 'CHUNKS' : `CHUNKS#${String(at).padStart(3, '0')}`;
}

const OWNER_BYTES = 16;
export const LEAF_BYTES = OWNER_BYTES + 32;

function leavesAsText(leaves: readonly Leaf[]): string {
  return Buffer.concat(leaves.flatMap(({ owner, hash }) => [owner, hash])).toString('base64');
}

function leavesFromText(text: string): Leaf[] {
  return leavesFromBytes(Buffer.from(text, 'base64'));
}

/** Returns the leaves, which share the memory of `bytes`. */
export function leavesFromBytes(bytes: Buffer): Leaf[] {
  return Array.from({ length: bytes.length / LEAF_BYTES }, (_, at) => {
    const leaf = bytes.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES);
    return { owner: leaf.subarray(0, OWNER_BYTES), hash: leaf.subarray(OWNER_BYTES) };
  });
}
