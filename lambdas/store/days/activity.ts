/**
 * Daily rows: sums of generations by account, UTC day and shard, and by workspace, key and member.
 *
 * The roll-up may compute the rows of a shard several times. Each computation first takes the next number of the day.
 * It then reads the generations, writes rows with this number, and makes the number the shard's version. If the new
 * rows equal the current rows, it only confirms the current rows, by storing its number as the shard's floor. It gives
 * up if the version or the floor is higher than its number. Readers use only rows of the current version.
 *
 * Guarantee: a reader gets all rows of a computation or none, and an older computation never replaces a newer one.
 */

import { createHash } from 'node:crypto';
import { batchWrite } from '../table/batch-write.ts';
import { updateItem } from '../table/calls.ts';
import { GENERATION_SHARDS, type DayShard } from '../generations/generation-key.ts';
import { routeFields } from '../generations/outcome.ts';
import { sortedTags, tagsJson, type RequestTags } from '../generations/request-tags.ts';
import { queryItems, queryPartition, readItem } from '../table/query.ts';
import { attribute, count, money, oneOf, optional, record, text, type Field, type RecordOf } from '../table/record.ts';
import { numberFrom, type Item, type moneyAttribute, type Table } from '../table/table.ts';
import { retryConflicts, writeAlone } from '../table/transact.ts';
import { update, type Key } from '../table/writes.ts';

export const rowLevels = ['WORKSPACE', 'KEY', 'MEMBER'] as const;
export type RowLevel = (typeof rowLevels)[number];

const rowTagsField: Field<RequestTags | undefined> = optional(
  attribute('tags', { fromAttribute: (stored) => sortedTags(stored as RequestTags) }),
);

const rowRecord = record({
  level: oneOf('level', rowLevels),
  shard: count('shard'),
  version: count('version'),
  workspaceId: text('workspace_id'),
  memberId: optional(text('member_id')),
  keyHash: optional(text('key_hash')),
  /** Values of the reported tags, in rows by key. */
  tags: rowTagsField,
  ...routeFields,
  usage: money('usage_rub'),
  cacheSaved: money('cache_saved_rub'),
  requests: count('requests'),
  promptTokens: count('prompt_tokens'),
  completionTokens: count('completion_tokens'),
  reasoningTokens: count('reasoning_tokens'),
});

/**
 * A daily row. In each shard, the rows of the levels WORKSPACE, KEY and MEMBER have the same total, except that MEMBER
 * rows contain only generations with a member. The rows of a key are also split by the values of the reported tags.
 */
export type DailyRow = RecordOf<typeof rowRecord>;

/** Attributes of a stored daily row, including the account and the day. */
export const dailyRowAttributes = [
  ...record({ accountId: text('account_id'), date: text('date') }).attributes,
  ...rowRecord.attributes,
];

/**
 * State of one day's rows. `versions` has the current version of each shard, and `readAtMs` the time in epoch ms when
 * the shard's generations were read.
 */
export interface Day {
  date: string;
  versions: (number | undefined)[];
  readAtMs: (number | undefined)[];
  /** For each shard, the names of the tags by which the rows of a key are split. */
  splitBy: (readonly string[])[];
}

/** Names of the tags by which the rows of one version are split. A split stored for another version is ignored. */
interface StoredSplit {
  version: number;
  by: readonly string[];
}

function dayKey(accountId: string, date: string): Key {
  return { pk: `ACTIVITY#${accountId}`, sk: `DAY#${date}` };
}

function rowPartition(accountId: string, date: string): string {
  return `ACTIVITY#${accountId}#${date}`;
}

/** Returns a number that is higher than all earlier numbers of the day. */
export async function takeVersion(table: Table, accountId: string, date: string): Promise<number> {
  const write = update(table, dayKey(accountId, date), {
    set: { entity: 'activity_day', account_id: accountId, date },
    add: { versions_taken: 1 },
  });
  const item = await retryConflicts(() => updateItem(table, write));
  return numberFrom(item['versions_taken']);
}

/**
 * Confirms the rows of the current version, which no earlier computation may then replace.
 * @param to.found the current version, whose rows are confirmed; to.version is the number of this computation
 * @returns false if another version is current by now, or a newer computation has confirmed the same rows
 */
export async function confirmVersion(
  table: Table,
  { accountId, date, shard }: DayShard,
  to: { found: number; version: number; readAtMs: number; splitBy: readonly string[] },
): Promise<boolean> {
  const confirmed = update(table, dayKey(accountId, date), {
    ...stateOfShard(shard, { floor: to.version, read_at_ms: to.readAtMs }, { version: to.found, by: to.splitBy }),
    when: { equal: { [`version_${shard}`]: to.found }, atMostIfPresent: { [`floor_${shard}`]: to.version } },
  });
  return (await writeAlone(table, confirmed)) === undefined;
}

/**
 * Makes the rows of a computation the current version.
 * @returns false if a newer computation is current, or has confirmed the current version
 */
export async function moveVersion(
  table: Table,
  { accountId, date, shard }: DayShard,
  to: { version: number; readAtMs: number; splitBy: readonly string[] },
): Promise<boolean> {
  const moved = update(table, dayKey(accountId, date), {
    ...stateOfShard(shard, { version: to.version, read_at_ms: to.readAtMs }, { version: to.version, by: to.splitBy }),
    // A lost reply may hide that this version was already stored, so an equal version is accepted.
    when: { atMostIfPresent: { [`version_${shard}`]: to.version, [`floor_${shard}`]: to.version } },
  });
  return (await writeAlone(table, moved)) === undefined;
}

function stateOfShard(shard: number, numbers: Record<string, number>, split: StoredSplit) {
  const set = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`${name}_${shard}`, value]));
  const name = `split_${shard}`;
  return split.by.length === 0 ? { set, remove: [name] } : { set: { ...set, [name]: split } };
}

export async function readDay(table: Table, accountId: string, date: string): Promise<Day | undefined> {
  const item = await readItem(table, dayKey(accountId, date));
  return item && dayFrom(item);
}

/** Returns the days, both dates included, for which a computation of daily rows has begun. */
export async function readDays(table: Table, accountId: string, from: string, to: string): Promise<Day[]> {
  const days: Day[] = [];
  const items = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': `ACTIVITY#${accountId}`, ':from': `DAY#${from}`, ':to': `DAY#${to}` },
  });
  for await (const item of items) days.push(dayFrom(item));
  return days;
}

function dayFrom(item: Item): Day {
  const perShard = (name: string) =>
    Array.from({ length: GENERATION_SHARDS }, (_, shard) => {
      const value = item[`${name}_${shard}`];
      return value === undefined ? undefined : Number(value);
    });
  const versions = perShard('version');
  const splitBy = versions.map((version, shard) => {
    const split = item[`split_${shard}`] as StoredSplit | undefined;
    return split !== undefined && numberFrom(split.version) === version ? split.by : [];
  });
  return { date: item['date'] as string, versions, readAtMs: perShard('read_at_ms'), splitBy };
}

export async function writeRows(table: Table, accountId: string, date: string, rows: DailyRow[]): Promise<void> {
  const puts = rows.map((row) => ({ PutRequest: { Item: rowItem(accountId, date, row) } }));
  await batchWrite(table, puts);
}

export async function deleteRows(table: Table, accountId: string, date: string, rows: DailyRow[]): Promise<void> {
  const deletes = rows.map((row) => ({ DeleteRequest: { Key: rowKey(accountId, date, row) } }));
  await batchWrite(table, deletes);
}

/** Yields the stored rows of a day, also of versions that are no longer or not yet current. */
export async function* dailyRows(
  table: Table,
  accountId: string,
  date: string,
  selection: { level?: RowLevel; owner?: string } = {},
): AsyncGenerator<DailyRow> {
  const { level, owner } = selection;
  const prefix = level && (owner === undefined ? `${level}#` : `${level}#${owner}#`);
  for await (const item of queryPartition(table, rowPartition(accountId, date), prefix)) yield rowRecord.from(item);
}

/** Yields the stored rows of a day in all versions, with the names under which they were written. */
export async function* namedDailyRows(
  table: Table,
  accountId: string,
  date: string,
): AsyncGenerator<{ name: string; row: DailyRow }> {
  for await (const item of queryPartition(table, rowPartition(accountId, date))) {
    yield { name: item['sk'] as string, row: rowRecord.from(item) };
  }
}

/**
 * Returns the name of a daily row, unique within its account's day. Instead of the tags, it contains the beginning of
 * their SHA-256, because a sort key must not be too long.
 */
export function dailyRowName(row: DailyRow): string {
  const owner = { WORKSPACE: row.workspaceId, KEY: row.keyHash, MEMBER: `${row.memberId}#${row.workspaceId}` }[
    row.level
  ];
  const name = `${row.level}#${owner}#${row.endpointId}#${row.model}#${row.modelPermaslug}#${row.shard}#${row.version}`;
  return row.tags === undefined ? name : `${name}${suffixOf(row.tags)}`;
}

export const TAGS_SUFFIX_LENGTH = 34;

function suffixOf(tags: RequestTags): string {
  const digest = createHash('sha256').update(tagsJson(tags)).digest('hex');
  return `#~${digest}`.slice(0, TAGS_SUFFIX_LENGTH);
}

export function dailyRowTexts(row: DailyRow): Map<string, string> {
  const { tags, ...others } = row;
  const item = rowRecord.toItem({ ...others, tags: undefined }) as Record<
    string,
    string | number | ReturnType<typeof moneyAttribute> | undefined
  >;
  const texts = new Map(rowRecord.attributes.map(({ name }) => [name, String(item[name] ?? '')]));
  return texts.set('tags', tags === undefined ? '' : tagsJson(tags));
}

function rowKey(accountId: string, date: string, row: DailyRow): Key {
  return { pk: rowPartition(accountId, date), sk: dailyRowName(row) };
}

function rowItem(accountId: string, date: string, row: DailyRow): Key & Item {
  const key = rowKey(accountId, date, row);
  return { ...key, entity: 'activity_row', account_id: accountId, date, ...rowRecord.toItem(row) };
}
