/**
 * Requests that were refused, so that an operator can say why without their sender's help. They cost nothing, and no sum depends
 * on them; nothing of what was asked is in them but the name of a field, that of a model, and what was to be held for it.
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
  /** The period of the limit, as intervals are named. */
  interval: text('limit_interval'),
  limit: money('limit_rub'),
  spent: money('spend_rub'),
  held: money('held_rub'),
  /** The rest of all limits of the scope, less what was held. */
  left: money('remaining_rub'),
  /** The amount that would have been held for the request. */
  required: money('required_rub'),
});

/** The amounts of a limit that had no room, as they were when it refused. */
export type RefusedAmounts = RecordOf<typeof refusedAmountsRecord>;

const refusalRecord = record({
  /** The id that the request's generation would have had. */
  id: text('id'),
  payer: part(payerRecord),
  createdAtMs: instant('created_at'),
  /** The name of the route in the manifest. */
  route: text('route'),
  status: count('status'),
  /** As the error's `metadata.error_type` says it. */
  kind: text('kind'),
  field: optional(text('field')),
  /** Whose limit refused. */
  limit: optional(text('limit_source')),
  /** The amounts of a limit in roubles. */
  amounts: optional(part(refusedAmountsRecord)),
  /** As the client has named it. */
  model: optional(text('model')),
});

/** Why a request of a known key was refused. */
export type Refusal = RecordOf<typeof refusalRecord>;

export const refusalAttributes = refusalRecord.attributes;

const KEEP_REFUSALS_MS = 30 * 24 * 60 * 60_000;
const refusalExpiry = expiry(TTL_ATTRIBUTE);
const REFUSAL_WRITE_TIMEOUT_MS = 1_000;

function partitionOf(accountId: string, date: string, shard: number): string {
  return `REFUSAL#${accountId}#${date}#${shard}`;
}

/** As generations are spread, so that no partition gets hot. @throws {RangeError} when the id is not a generation id */
function refusalItemKey(accountId: string, id: string): Key {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  return { pk: partitionOf(accountId, utcDate(timeMs), shardOf(id)), sk: id };
}

/** Notes a refusal. It may be lost. @throws {AwsError} when that takes longer than a second */
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

/** Refusals of each shard of an account's UTC day, newest first; with `before`, only those that are older than that id. */
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
