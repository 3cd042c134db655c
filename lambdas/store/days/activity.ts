/**
 * Daily rows: sums of the generations of one account, UTC day and shard (one of eight parts of the day's generations),
 * by workspace, by key and by member.
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
  /** Set for rows by key and by member, if the requests had a member. */
  memberId: optional(text('member_id')),
  /** Set for rows by key. */
  keyHash: optional(text('key_hash')),
  /** Values of the reported tags, by name, in rows by key. Absent if the requests had none of them. */
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

/** Attributes of a row's item, including the account and the day from its key. */
export const dailyRowAttributes = [
  ...record({ accountId: text('account_id'), date: text('date') }).attributes,
  ...rowRecord.attributes,
];

/**
 * State of a day: for each shard (one of eight parts of its generations), the current version, and the time when the
 * generations were read.
 */
export interface Day {
  date: string;
  versions: (number | undefined)[];
  readAtMs: (number | undefined)[];
  /** Names of the tags by which the rows by key of each shard's current version are split. */
  splitBy: (readonly string[])[];
}

/** Split of a shard's rows by key, and the version of the rows. A split stored for another version is ignored. */
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

/**
 * Takes the next number of a day, for a computation of daily rows.
 * @returns the number, higher than all earlier numbers of the day
 */
export async function takeVersion(table: Table, accountId: string, date: string): Promise<number> {
  const write = update(table, dayKey(accountId, date), {
    set: { entity: 'activity_day', account_id: accountId, date },
    add: { versions_taken: 1 },
  });
  const item = await retryConflicts(() => updateItem(table, write));
  return numberFrom(item['versions_taken']);
}

/**
 * Records that a computation produced the same rows as the current version. Afterwards, no earlier computation may
 * replace these rows.
 * @param to.found the version whose rows were confirmed
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
    // An equal version means that an earlier attempt of this write succeeded and its reply was lost.
    when: { atMostIfPresent: { [`version_${shard}`]: to.version, [`floor_${shard}`]: to.version } },
  });
  return (await writeAlone(table, moved)) === undefined;
}

/** Returns the changes of a day that set the state of one shard. Days without a split have no attribute for it. */
function stateOfShard(shard: number, numbers: Record<string, number>, split: StoredSplit) {
  const set = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`${name}_${shard}`, value]));
  const name = `split_${shard}`;
  return split.by.length === 0 ? { set, remove: [name] } : { set: { ...set, [name]: split } };
}

export async function readDay(table: Table, accountId: string, date: string): Promise<Day | undefined> {
  const item = await readItem(table, dayKey(accountId, date));
  return item && dayFrom(item);
}

/** Returns the days of an account between two dates, both included, for which a computation of daily rows has begun. */
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

/** Yields rows of a day in any version: all rows, the rows of one level, or the rows of one owner. */
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

/**
 * Yields all rows of a day in any version, each with the name under which it was written. The name may differ from the
 * row's attributes if these were changed later.
 */
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
 * Returns the name of a daily row, unique within its account's day. Values of tags are texts of any kind, so the name
 * has the beginning of their SHA-256, which also keeps the name short enough for a sort key.
 */
export function dailyRowName(row: DailyRow): string {
  const owner = { WORKSPACE: row.workspaceId, KEY: row.keyHash, MEMBER: `${row.memberId}#${row.workspaceId}` }[
    row.level
  ];
  const name = `${row.level}#${owner}#${row.endpointId}#${row.model}#${row.modelPermaslug}#${row.shard}#${row.version}`;
  return row.tags === undefined ? name : `${name}${suffixOf(row.tags)}`;
}

/** Number of characters that tags add to the name of a row. */
export const TAGS_SUFFIX_LENGTH = 34;

function suffixOf(tags: RequestTags): string {
  const digest = createHash('sha256').update(tagsJson(tags)).digest('hex');
  return `#~${digest}`.slice(0, TAGS_SUFFIX_LENGTH);
}

/** Returns the attributes of a daily row as texts, by name. */
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
