import { BatchWriteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Money } from '../money/money.ts';
import { GENERATION_SHARDS } from './generations.ts';
import { queryItems, queryPartition, readItem } from './query.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item, type Table } from './table.ts';
import { isConditionFailure, retryConflicts } from './transact.ts';

/**
 * Daily rows: what the generations of one (account, UTC day, shard) come to, by workspace, by key and by member.
 *
 * A recomputation takes a number first, reads after that, writes rows that carry the number, and then moves the shard's
 * version to it, unless a higher one stands there, or has found the rows of the current version to be right: the shard's
 * floor is the highest that did. Readers only see rows of the current version.
 * Guarantee: a reader sees a recomputation whole or not at all, and an older one never takes the place of a newer.
 */
export const rowLevels = ['WORKSPACE', 'KEY', 'MEMBER'] as const;
export type RowLevel = (typeof rowLevels)[number];

/** One row; all three levels of a shard come to the same sums (members: of generations that have one). */
export interface DailyRow {
  level: RowLevel;
  shard: number;
  version: number;
  workspaceId: string;
  /** Of levels KEY and MEMBER. */
  memberId: string | undefined;
  /** Of level KEY. */
  keyHash: string | undefined;
  model: string;
  modelPermaslug: string;
  endpointId: string;
  providerName: string;
  usage: Money;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Where a day stands: per shard the version that counts, and when its generations were read. */
export interface Day {
  date: string;
  versions: (number | undefined)[];
  readAtMs: (number | undefined)[];
}

function dayKey(accountId: string, date: string): { pk: string; sk: string } {
  return { pk: `ACTIVITY#${accountId}`, sk: `DAY#${date}` };
}

function rowPartition(accountId: string, date: string): string {
  return `ACTIVITY#${accountId}#${date}`;
}

/** Begins a recomputation. @returns its number, higher than that of every one before it. */
export async function takeVersion(table: Table, accountId: string, date: string): Promise<number> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: dayKey(accountId, date),
    UpdateExpression: 'SET entity = :entity, account_id = :account, #date = :date ADD versions_taken :one',
    ExpressionAttributeNames: { '#date': 'date' },
    ExpressionAttributeValues: { ':one': 1, ':entity': 'activity_day', ':account': accountId, ':date': date },
    ReturnValues: 'UPDATED_NEW',
  });
  const answer = await retryConflicts(() => table.documents.send(update));
  return numberFrom(answer.Attributes?.['versions_taken']);
}

/**
 * Notes that a recomputation came to the rows that count already: none that began before it may take their place.
 * @param to.found the version whose rows were found
 * @returns false when another version counts by now, or a newer recomputation has found the same.
 */
export async function confirmVersion(
  table: Table,
  of: { accountId: string; date: string; shard: number },
  to: { found: number; version: number; readAtMs: number },
): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: dayKey(of.accountId, of.date),
    UpdateExpression: 'SET #floor = :version, #read = :read',
    ConditionExpression: '#version = :found AND (attribute_not_exists(#floor) OR #floor <= :version)',
    ExpressionAttributeNames: {
      '#version': `version_${of.shard}`,
      '#floor': `floor_${of.shard}`,
      '#read': `read_at_ms_${of.shard}`,
    },
    ExpressionAttributeValues: { ':found': to.found, ':version': to.version, ':read': to.readAtMs },
  });
  return holds(() => table.documents.send(update));
}

/** Makes a recomputation the one that counts. @returns false when a newer one does already, or has confirmed what does. */
export async function moveVersion(
  table: Table,
  of: { accountId: string; date: string; shard: number },
  to: { version: number; readAtMs: number },
): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: dayKey(of.accountId, of.date),
    UpdateExpression: 'SET #version = :version, #read = :read',
    // The same version can only be our own write, whose reply was lost.
    ConditionExpression:
      '(attribute_not_exists(#version) OR #version <= :version) AND (attribute_not_exists(#floor) OR #floor <= :version)',
    ExpressionAttributeNames: {
      '#version': `version_${of.shard}`,
      '#floor': `floor_${of.shard}`,
      '#read': `read_at_ms_${of.shard}`,
    },
    ExpressionAttributeValues: { ':version': to.version, ':read': to.readAtMs },
  });
  return holds(() => table.documents.send(update));
}

/** Writes, if the condition of the write holds. */
async function holds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await retryConflicts(write);
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

export async function readDay(table: Table, accountId: string, date: string): Promise<Day | undefined> {
  const item = await readItem(table, dayKey(accountId, date));
  return item && dayFrom(item);
}

/** The days of an account from one date to another, those that were ever rolled up. */
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
  return { date: item['date'] as string, versions: perShard('version'), readAtMs: perShard('read_at_ms') };
}

/** DynamoDB's bound of one BatchWriteItem. */
const MAX_BATCH = 25;

export async function writeRows(table: Table, accountId: string, date: string, rows: DailyRow[]): Promise<void> {
  const puts = rows.map((row) => ({ PutRequest: { Item: rowItem(accountId, date, row) } }));
  await batchWrite(table, puts);
}

export async function deleteRows(table: Table, accountId: string, date: string, rows: DailyRow[]): Promise<void> {
  const deletes = rows.map((row) => ({ DeleteRequest: { Key: rowKey(accountId, date, row) } }));
  await batchWrite(table, deletes);
}

type WriteRequest = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

async function batchWrite(table: Table, requests: WriteRequest[]): Promise<void> {
  for (let start = 0; start < requests.length; start += MAX_BATCH) {
    let open: WriteRequest[] | undefined = requests.slice(start, start + MAX_BATCH);
    for (let delayMs = 20; open && open.length > 0; delayMs = Math.min(delayMs * 2, 2_000)) {
      const answer: { UnprocessedItems?: Record<string, unknown> | undefined } = await table.documents.send(
        new BatchWriteCommand({ RequestItems: { [table.name]: open } }),
      );
      open = answer.UnprocessedItems?.[table.name] as WriteRequest[] | undefined;
      if (open && open.length > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Rows of a day: all of them, those of a level, or those whose key continues with `owner`, in any version. */
export async function* dailyRows(
  table: Table,
  accountId: string,
  date: string,
  selection: { level?: RowLevel; owner?: string } = {},
): AsyncGenerator<DailyRow> {
  const { level, owner } = selection;
  const prefix = level && (owner === undefined ? `${level}#` : `${level}#${owner}#`);
  for await (const item of queryPartition(table, rowPartition(accountId, date), prefix)) yield rowFrom(item);
}

function rowKey(accountId: string, date: string, row: DailyRow): { pk: string; sk: string } {
  const owner = { WORKSPACE: row.workspaceId, KEY: row.keyHash, MEMBER: `${row.memberId}#${row.workspaceId}` }[
    row.level
  ];
  return {
    pk: rowPartition(accountId, date),
    sk: `${row.level}#${owner}#${row.endpointId}#${row.model}#${row.modelPermaslug}#${row.shard}#${row.version}`,
  };
}

function rowItem(accountId: string, date: string, row: DailyRow): Item {
  return {
    ...rowKey(accountId, date, row),
    entity: 'activity_row',
    account_id: accountId,
    date,
    level: row.level,
    shard: row.shard,
    version: row.version,
    workspace_id: row.workspaceId,
    member_id: row.memberId,
    key_hash: row.keyHash,
    model: row.model,
    model_permaslug: row.modelPermaslug,
    endpoint_id: row.endpointId,
    provider_name: row.providerName,
    usage_rub: moneyAttribute(row.usage),
    requests: row.requests,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
  };
}

function rowFrom(item: Item): DailyRow {
  return {
    level: item['level'] as RowLevel,
    shard: numberFrom(item['shard']),
    version: numberFrom(item['version']),
    workspaceId: item['workspace_id'] as string,
    memberId: item['member_id'] as string | undefined,
    keyHash: item['key_hash'] as string | undefined,
    model: item['model'] as string,
    modelPermaslug: item['model_permaslug'] as string,
    endpointId: item['endpoint_id'] as string,
    providerName: item['provider_name'] as string,
    usage: moneyFrom(item['usage_rub']),
    requests: numberFrom(item['requests']),
    promptTokens: numberFrom(item['prompt_tokens']),
    completionTokens: numberFrom(item['completion_tokens']),
    reasoningTokens: numberFrom(item['reasoning_tokens']),
  };
}

/** How far the deployment was handed to the roll-up. */
export interface ClosingProgress {
  /** Every account's days up to here. */
  closedThrough: string | undefined;
  /** And of those up to `through`, the accounts up to this place in their list. */
  closing: { through: string; accountsUpTo: string } | undefined;
}

const PROGRESS_KEY = { pk: 'ACTIVITY', sk: 'CLOSED' };

export async function readClosingProgress(table: Table): Promise<ClosingProgress> {
  const item = await readItem(table, PROGRESS_KEY);
  const through = item?.['closing_through'] as string | undefined;
  return {
    closedThrough: item?.['closed_through'] as string | undefined,
    closing: through === undefined ? undefined : { through, accountsUpTo: item!['accounts_up_to'] as string },
  };
}

/** Notes how far a run has come; a slow one that still runs beside its successor cannot undo what is closed. */
export async function saveClosing(table: Table, closing: NonNullable<ClosingProgress['closing']>): Promise<void> {
  await table.documents.send(
    new UpdateCommand({
      TableName: table.name,
      Key: PROGRESS_KEY,
      UpdateExpression: 'SET entity = :entity, closing_through = :through, accounts_up_to = :place',
      ExpressionAttributeValues: {
        ':entity': 'activity_progress',
        ':through': closing.through,
        ':place': closing.accountsUpTo,
      },
    }),
  );
}

export async function saveClosedThrough(table: Table, date: string): Promise<void> {
  await table.documents.send(
    new PutCommand({
      TableName: table.name,
      Item: { ...PROGRESS_KEY, entity: 'activity_progress', closed_through: date },
    }),
  );
}
