/**
 * Data of sealed days (days whose billing lines are signed and cannot change) in the table; the sealed files themselves
 * are in immutable storage. For each account, the table has the last sealed day. For each day, it has the statement
 * with its signature, the leaves for proofs, and the generations that were open when the day was sealed.
 *
 * The data of a day is stored under the root of its hash tree. If a run dies before it stores its statement, nothing
 * refers to that run's root, so nothing reads its data.
 */

import { batchWrite } from '../table/batch-write.ts';
import { queryItems, queryPartition, readItem, readItems } from '../table/query.ts';
import { count, money, oneOf, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { transact } from '../table/transact.ts';
import { put, putNew, type Key } from '../table/writes.ts';

const sealHeadRecord = record({
  /** Last processed day. This day and all earlier days are sealed, or had nothing to seal. */
  through: text('through'),
  /** Last day with a statement; absent before the first statement. */
  date: optional(text('date')),
  sha256: optional(text('statement_sha256')),
  root: optional(text('root')),
  /** Totals of all sealed lines of the account. */
  usage: money('usage_rub'),
  paid: money('paid_rub'),
});
/** Progress of sealing an account's days. */
export type SealHead = RecordOf<typeof sealHeadRecord>;

const sealedDayRecord = record({
  date: text('date'),
  /** Bytes of the statement's file, as text. */
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
  /**
   * `pending`: not settled. `estimated`: settled by the sweep with an estimate, which a late message of the request's
   * handler may still correct.
   */
  state: oneOf('state', ['pending', 'estimated']),
});
/** A generation whose settlement or correction will be sealed on a later day, if there is one. */
export type OpenEntry = RecordOf<typeof openEntryRecord>;

/** A leaf of a day's hash tree, with the generation that owns it. */
export interface Leaf {
  /** Owner in 16 bytes: the hex digits of the generation's id, or only 0xff bytes for a line without a generation. */
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

/** Returns the name of the partition with a day's data. The name contains the root of the day's hash tree. */
function partsPartition(accountId: string, { date, root }: { date: string; root: string }): string {
  return `SEALS#${accountId}#${date}#${root}`;
}

/**
 * Returns the progress of sealing an account.
 * @returns undefined before the first day of the account was processed
 */
export async function readSealHead(table: Table, accountId: string): Promise<SealHead | undefined> {
  const item = await readItem(table, headKey(accountId));
  return item && sealHeadRecord.from(item);
}

/**
 * Advances the progress of an account, if it has not changed since it was read, and writes the sealed day if the day
 * has a statement.
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

/** Yields the sealed days of an account between two dates, both included, that have a statement; oldest first. */
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

/** Number of open generations per item, so that an item stays below DynamoDB's limit of 400 KB. */
const OPEN_OF_AN_ITEM = 4_000;

/** Stores the leaves and the open generations of a day. Call this before anything refers to the day's root. */
export async function keepDayParts(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
  parts: { chunks: readonly (readonly Leaf[])[]; chunkRoots: readonly Buffer[]; open: readonly OpenEntry[] },
): Promise<void> {
  const pk = partsPartition(accountId, of);
  const part = { pk, entity: 'seal_part' };
  const index = parts.chunks.map((leaves, at) => ({ owner: leaves[0]!.owner, hash: parts.chunkRoots[at]! }));
  const items = [
    { ...part, sk: 'CHUNKS', leaves: leavesAsText(index) },
    ...parts.chunks.map((leaves, at) => ({ ...part, sk: chunkName(at), leaves: leavesAsText(leaves) })),
    ...Array.from({ length: Math.ceil(parts.open.length / OPEN_OF_AN_ITEM) }, (_, at) => ({
      ...part,
      sk: `OPEN#${at}`,
      open: parts.open.slice(at * OPEN_OF_AN_ITEM, (at + 1) * OPEN_OF_AN_ITEM).map(openEntryRecord.toItem),
    })),
  ];
  // An item has at most 400 KB, so the 25 items of one BatchWriteItem call stay below its limit of 16 MB.
  await batchWrite(
    table,
    items.map((item) => ({ PutRequest: { Item: item } })),
  );
}

/** Returns the generations that were open when a day was sealed, ordered by id. */
export async function readOpenEntries(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
): Promise<OpenEntry[]> {
  const items = await Array.fromAsync(queryPartition(table, partsPartition(accountId, of), 'OPEN#'));
  const entries = items.flatMap(({ open }) => (open as Record<string, unknown>[]).map(openEntryRecord.from));
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns, for each chunk of a day's leaves, in order, the chunk's root and the owner of its first leaf. */
export async function readChunkRoots(
  table: Table,
  accountId: string,
  of: { date: string; root: string },
): Promise<Leaf[]> {
  const item = await readItem(table, { pk: partsPartition(accountId, of), sk: 'CHUNKS' });
  return item ? leavesFromText(item['leaves'] as string) : [];
}

/** Returns the leaves of the given chunks of a day, by chunk index. */
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

/** Records that generations of earlier days, or corrections of such generations, were sealed on this day. */
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

/** Returns the later days on which a generation was sealed, in order. */
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

const OWNER_BYTES = 16;
const LEAF_BYTES = OWNER_BYTES + 32;

function leavesAsText(leaves: readonly Leaf[]): string {
  return Buffer.concat(leaves.flatMap(({ owner, hash }) => [owner, hash])).toString('base64');
}

function leavesFromText(text: string): Leaf[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / LEAF_BYTES }, (_, at) => {
    const leaf = bytes.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES);
    return { owner: leaf.subarray(0, OWNER_BYTES), hash: leaf.subarray(OWNER_BYTES) };
  });
}
