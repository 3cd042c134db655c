/**
 * Deliveries of notices. A *mark* is an item whose name identifies one event, such as a crossing of a threshold in a
 * window. The transaction that creates a mark also creates the deliveries of its notice, so an event creates them at
 * most once.
 */

import { queryPage } from '../table/calls.ts';
import { queryItems, readItem } from '../table/query.ts';
import { count, expiry, instant, oneOf, optional, record, text, type RecordOf } from '../table/record.ts';
import { indexes, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { put, putNew, update, type Key, type Write } from '../table/writes.ts';
import { alertOwnerKinds } from './alert-settings.ts';

export const deliveryChannels = ['webhook', 'email'] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];

/**
 * States of a delivery. `refused`: the receiver or the settings make retries useless. `dead`: every attempt within 24
 * hours failed.
 */
export const deliveryStates = ['pending', 'delivered', 'refused', 'dead'] as const;

const alertDeliveryRecord = record({
  id: text('id'),
  accountId: text('account_id'),
  type: text('type'),
  /** Owner of the settings, which are read again for each attempt. */
  ownerKind: oneOf('owner_kind', alertOwnerKinds),
  ownerId: text('owner_id'),
  channel: oneOf('channel', deliveryChannels),
  /** `subject` is one line in ASCII. */
  subject: text('subject'),
  text: text('text'),
  /** Data of the notice, as JSON text. */
  data: text('data'),
  state: oneOf('state', deliveryStates),
  /** Number of attempts that have begun. */
  attempts: count('attempts'),
  /** Start of the 24 hours in which attempts are made: the creation, or the last retry by a command. */
  begunAtMs: instant('begun_at'),
  /** Time of the next attempt; absent unless pending. While an attempt runs, it is the end of the attempt's lease. */
  nextAtMs: optional(instant(indexes.sweep.sort)),
  /** Result of the last completed attempt; absent before the first one. */
  reason: optional(text('reason')),
  deliveredAtMs: optional(instant('delivered_at')),
  createdAtMs: instant('created_at'),
  expiresAtMs: expiry(TTL_ATTRIBUTE),
});

export type AlertDelivery = RecordOf<typeof alertDeliveryRecord>;

const DUE_PARTITIONS = Array.from({ length: 8 }, (_, part) => `DELIVERIES#${part}`);

function deliveryPartitionOf(id: string): string {
  return DUE_PARTITIONS[Number.parseInt(id.slice(-1), 16) % DUE_PARTITIONS.length]!;
}

function deliveryKey({ accountId, id }: Pick<AlertDelivery, 'accountId' | 'id'>): Key {
  return { pk: `NOTICES#${accountId}#LOG`, sk: id };
}

function markKey(accountId: string, name: string): Key {
  // The name is in the partition key, because it may be longer than a sort key may be.
  return { pk: `NOTICES#${accountId}#${name}`, sk: 'MARK' };
}

/** Mark of one event. `name` is unique in the account. */
export interface Mark {
  accountId: string;
  name: string;
  /** Time in epoch ms after which DynamoDB may delete the mark; if it is undefined, the mark is never deleted. */
  untilMs: number | undefined;
}

function markItem({ accountId, name, untilMs }: Mark): Item {
  const expires = untilMs === undefined ? {} : { [TTL_ATTRIBUTE]: Math.ceil(untilMs / 1_000) };
  return { ...markKey(accountId, name), entity: 'alert_mark', ...expires };
}

/** Returns the write of a mark. It fails if the mark exists. */
export function markPut(table: Table, mark: Mark): Write {
  return putNew(table, markItem(mark));
}

/** Returns the write that marks an event that gets no notice. It succeeds even if the mark exists. */
export function passedMarkPut(table: Table, mark: Mark): Write {
  return put(table, markItem(mark));
}

export async function isDecided(table: Table, accountId: string, name: string): Promise<boolean> {
  return (await readItem(table, markKey(accountId, name))) !== undefined;
}

export function deliveryPut(table: Table, delivery: AlertDelivery): Write {
  return putNew(table, {
    ...deliveryKey(delivery),
    [indexes.sweep.partition]: deliveryPartitionOf(delivery.id),
    entity: 'alert_delivery',
    ...alertDeliveryRecord.toItem(delivery),
  });
}

/**
 * Returns the write that begins an attempt. It fails if another worker has begun an attempt since the delivery was
 * read.
 */
export function attemptBegin(table: Table, delivery: AlertDelivery, leasedUntilMs: number): Write {
  return update(table, deliveryKey(delivery), {
    set: { attempts: delivery.attempts + 1, [indexes.sweep.sort]: isoTime(leasedUntilMs) },
    when: { equal: { state: 'pending', attempts: delivery.attempts } },
  });
}

export type AttemptEnd =
  | { state: 'pending'; nextAtMs: number; reason: string }
  | { state: 'refused' | 'dead'; reason: string }
  | { state: 'delivered'; deliveredAtMs: number };

/**
 * Returns the write that ends an attempt of `attemptBegin`. It fails if the attempt's lease has ended and another
 * attempt has begun.
 */
export function attemptEnd(table: Table, delivery: AlertDelivery, end: AttemptEnd): Write {
  const when = { equal: { state: 'pending', attempts: delivery.attempts + 1 } };
  if (end.state === 'pending') {
    const set = { reason: end.reason, [indexes.sweep.sort]: isoTime(end.nextAtMs) };
    return update(table, deliveryKey(delivery), { set, when });
  }
  const set =
    end.state === 'delivered'
      ? { state: end.state, delivered_at: isoTime(end.deliveredAtMs), reason: end.state }
      : { state: end.state, reason: end.reason };
  return update(table, deliveryKey(delivery), { set, remove: [indexes.sweep.partition, indexes.sweep.sort], when });
}

/**
 * Returns the write that makes a delivery pending for another 24 hours. It fails if the state has changed since it was
 * read.
 */
export function deliveryRetry(table: Table, delivery: AlertDelivery, atMs: number): Write {
  const at = isoTime(atMs);
  const set = {
    state: 'pending',
    begun_at: at,
    [indexes.sweep.partition]: deliveryPartitionOf(delivery.id),
    [indexes.sweep.sort]: at,
  };
  return update(table, deliveryKey(delivery), { set, when: { equal: { state: delivery.state } } });
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

export async function readDelivery(table: Table, accountId: string, id: string): Promise<AlertDelivery | undefined> {
  const item = await readItem(table, deliveryKey({ accountId, id }));
  return item && alertDeliveryRecord.from(item);
}

/**
 * Returns deliveries, newest first.
 * @param selection.before id of a delivery; only older deliveries are returned
 */
export async function listDeliveries(
  table: Table,
  accountId: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<AlertDelivery[]> {
  const { items } = await queryPage(table, {
    ConsistentRead: true,
    KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: {
      ':pk': deliveryKey({ accountId, id: '' }).pk,
      ...(before === undefined ? {} : { ':before': before }),
    },
    ScanIndexForward: false,
    Limit: limit,
  });
  return items.map(alertDeliveryRecord.from);
}

/** Yields due deliveries, read consistently from the table. */
async function* dueIn(table: Table, partition: string, atMs: number): AsyncGenerator<AlertDelivery, void> {
  const entries = queryItems(table, {
    IndexName: indexes.sweep.name,
    KeyConditionExpression: '#partition = :partition AND #at <= :at',
    ExpressionAttributeNames: { '#partition': indexes.sweep.partition, '#at': indexes.sweep.sort },
    ExpressionAttributeValues: { ':partition': partition, ':at': isoTime(atMs) },
  });
  for await (const { pk, sk } of entries) {
    const item = await readItem(table, { pk: pk as string, sk: sk as string });
    const delivery = item && alertDeliveryRecord.from(item);
    if (delivery?.state === 'pending' && (delivery.nextAtMs ?? Infinity) <= atMs) yield delivery;
  }
}

/** Returns the due deliveries for each partition of the index. */
export function dueDeliveries(table: Table, atMs: number): AsyncGenerator<AlertDelivery, void>[] {
  return DUE_PARTITIONS.map((partition) => dueIn(table, partition, atMs));
}
