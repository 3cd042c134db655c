/**
 * Notices, and their deliveries. A *mark* is an item whose name identifies one event, such as a crossing of a threshold
 * in a window. The transaction that creates the mark also creates the deliveries of the notice, one for each
 * destination.
 *
 * Guarantee: each event creates its deliveries at most once, because a mark can be created only once. Retries,
 * duplicate messages, concurrent workers and lost replies do not matter.
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
 * hours failed. Both can be retried with a command.
 */
export const deliveryStates = ['pending', 'delivered', 'refused', 'dead'] as const;

const alertDeliveryRecord = record({
  id: text('id'),
  accountId: text('account_id'),
  /** Type of the notice, for example `alert.limit.threshold`. */
  type: text('type'),
  /** Owner whose settings have the destination. The settings are read again for each attempt. */
  ownerKind: oneOf('owner_kind', alertOwnerKinds),
  ownerId: text('owner_id'),
  channel: oneOf('channel', deliveryChannels),
  /** `subject` is one line in ASCII. `text` is the message for people. */
  subject: text('subject'),
  text: text('text'),
  /** Facts of the notice as JSON, for programs. */
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

/** Delivery of one notice to one destination. */
export type AlertDelivery = RecordOf<typeof alertDeliveryRecord>;

/** Partitions of the sweep index for pending deliveries. Holds and leases have other partitions. */
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

/** Event of an account, by a name that no other event of the account has. */
export interface Mark {
  accountId: string;
  name: string;
  /**
   * Time in epoch ms after which no check can find the event again, so that DynamoDB may delete the mark; undefined
   * keeps it.
   */
  untilMs: number | undefined;
}

function markItem({ accountId, name, untilMs }: Mark): Item {
  const expires = untilMs === undefined ? {} : { [TTL_ATTRIBUTE]: Math.ceil(untilMs / 1_000) };
  return { ...markKey(accountId, name), entity: 'alert_mark', ...expires };
}

/**
 * Returns the write that creates the mark of an event. It fails if the mark exists, so that an event has at most one
 * notice.
 */
export function markPut(table: Table, mark: Mark): Write {
  return putNew(table, markItem(mark));
}

/** Returns the write that marks an event for which no notice is sent. It succeeds even if the mark exists. */
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
 * Begins an attempt, and leases the delivery for it. Fails if another worker has begun an attempt since the delivery
 * was read.
 */
export function attemptBegin(table: Table, delivery: AlertDelivery, leasedUntilMs: number): Write {
  return update(table, deliveryKey(delivery), {
    set: { attempts: delivery.attempts + 1, [indexes.sweep.sort]: isoTime(leasedUntilMs) },
    when: { equal: { state: 'pending', attempts: delivery.attempts } },
  });
}

/** Result of an attempt: the next attempt, or the final state. */
export type AttemptEnd =
  | { state: 'pending'; nextAtMs: number; reason: string }
  | { state: 'refused' | 'dead'; reason: string }
  | { state: 'delivered'; deliveredAtMs: number };

/** Ends the attempt that `attemptBegin` began, unless its lease has ended and another attempt has begun. */
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

/** Makes a delivery pending again for another 24 hours, if its state has not changed since it was read. */
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
 * Returns deliveries of an account, newest first.
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

/** Yields the deliveries of one partition of the index that are due, read consistently from the table. */
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

/** Returns the due deliveries, as one list for each partition of the index. */
export function dueDeliveries(table: Table, atMs: number): AsyncGenerator<AlertDelivery, void>[] {
  return DUE_PARTITIONS.map((partition) => dueIn(table, partition, atMs));
}
