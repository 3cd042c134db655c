/**
 * Refused requests, recorded for explanations. A record contains nothing of the request's content except the names of a
 * field and a model, tags with budgets, and the amount of the hold.
 */

import { utcDate } from '../../money/periods.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { GENERATION_SHARDS, shardOf } from './generation-key.ts';
import { payerRecord } from '../accounts/payer.ts';
import { queryItems, readItem } from '../table/query.ts';
import { count, expiry, instant, money, optional, part, record, text, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeWithin } from '../table/transact.ts';
import { put, type Key } from '../table/writes.ts';

const refusedAmountsRecord = record({
  interval: text('limit_interval'),
  limit: money('limit_rub'),
  spent: money('spend_rub'),
  held: money('held_rub'),
  /** Smallest remaining room of the scope's limits, after holds. */
  left: money('remaining_rub'),
  required: money('required_rub'),
});

export type RefusedAmounts = RecordOf<typeof refusedAmountsRecord>;

const refusalRecord = record({
  /** Id that the request's generation has or would have. */
  id: text('id'),
  payer: part(payerRecord),
  createdAtMs: instant('created_at'),
  route: text('route'),
  status: count('status'),
  /** Kind of the error that the client got, as in its `metadata.error_type`. */
  kind: text('kind'),
  field: optional(text('field')),
  limit: optional(text('limit_source')),
  /** Amounts of the refusing limit; absent if the limit is not an amount of money. */
  amounts: optional(part(refusedAmountsRecord)),
  model: optional(text('model')),
});

export type Refusal = RecordOf<typeof refusalRecord>;

export const refusalAttributes = refusalRecord.attributes;

const KEEP_REFUSALS_MS = 30 * 24 * 60 * 60_000;
const refusalExpiry = expiry(TTL_ATTRIBUTE);
const REFUSAL_WRITE_TIMEOUT_MS = 1_000;

function partitionOf(accountId: string, date: string, shard: number): string {
  return `REFUSAL#${accountId}#${date}#${shard}`;
}

/** @throws {RangeError} if the id is not a generation id */
function refusalItemKey(accountId: string, id: string): Key {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  return { pk: partitionOf(accountId, utcDate(timeMs), shardOf(id)), sk: id };
}

/**
 * Stores a refusal. A lost refusal is acceptable.
 * @throws {Error} if the write fails or takes longer than a second
 */
export async function writeRefusal(table: Table, refusal: Refusal): Promise<void> {
  const { payer, id, createdAtMs } = refusal;
  const item: Item & Key = {
    ...refusalItemKey(payer.accountId, id),
    entity: 'refusal',
    ...refusalRecord.toItem(refusal),
  };
  refusalExpiry.write(createdAtMs + KEEP_REFUSALS_MS, item);
  await writeWithin(table, REFUSAL_WRITE_TIMEOUT_MS, put(table, item));
}

export async function readRefusal(table: Table, accountId: string, id: string): Promise<Refusal | undefined> {
  const item = await readItem(table, refusalItemKey(accountId, id));
  return item && refusalRecord.from(item);
}

const REFUSAL_PAGE = 50;

/** Returns, for each shard of a day, the refusals before the id `before`, newest first. */
export function refusalsOfShards(table: Table, accountId: string, date: string, before: string) {
  return Array.from({ length: GENERATION_SHARDS }, (_, shard) => ofShard(table, accountId, date, { shard, before }));
}

async function* ofShard(
  table: Table,
  accountId: string,
  date: string,
  { shard, before }: { shard: number; before: string },
): AsyncGenerator<Refusal, void> {
  const items = queryItems(table, {
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': partitionOf(accountId, date, shard), ':before': before },
    ScanIndexForward: false,
    Limit: REFUSAL_PAGE,
  });
  for await (const item of items) yield refusalRecord.from(item);
}
