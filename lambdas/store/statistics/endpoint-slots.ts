/**
 * Results of requests to each endpoint, in slots of five minutes and, for completed hours, per hour. No charge depends
 * on the counts: a count may be lost or, after a lost reply, counted twice.
 */

import { queryItems } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeAlone, writeWithin } from '../table/transact.ts';
import { put, update } from '../table/writes.ts';

type Buckets = Map<number, number>;

export interface EndpointSums {
  requests: number;
  failures: number;
  latencyMs: Buckets;
  throughput: Buckets;
}

export type HourSums = Pick<EndpointSums, 'requests' | 'failures'>;

export const SLOT_MS = 5 * 60_000;
export const HOUR_MS = 60 * 60_000;
/** Number of partition keys of a slot. */
export const SLOT_SHARDS = 16;

const KEEP_SLOT_MS = 26 * HOUR_MS;
const KEEP_HOUR_MS = 48 * HOUR_MS;
/** Maximum number of endpoints per item, which keeps the item below 400 KB. */
const ENDPOINTS_IN_SLOT = 1_000;
const SLOT_WRITE_TIMEOUT_MS = 1_000;

/**
 * Adds sums of an endpoint to a slot.
 * @throws {Error} if the write fails or takes longer than a second
 */
export async function addToSlot(
  table: Table,
  slot: { slotMs: number; shard: number; endpointId: string },
  sums: EndpointSums,
): Promise<void> {
  const { slotMs, shard, endpointId } = slot;
  const set: Item = {
    entity: 'endpoint_slot',
    endpoint_id: endpointId,
    [TTL_ATTRIBUTE]: secondsAt(slotMs + KEEP_SLOT_MS),
  };
  const add = { requests: sums.requests, failures: sums.failures, ...slotAttributes('latency', sums.latencyMs) };
  Object.assign(add, slotAttributes('throughput', sums.throughput));
  const key = { pk: slotPartition(slotMs, shard), sk: endpointId };
  await writeWithin(table, SLOT_WRITE_TIMEOUT_MS, update(table, key, { set, add }));
}

/** Returns the sums of a slot. An endpoint has up to one entry per partition. */
export async function readSlot(table: Table, slotMs: number): Promise<[endpointId: string, EndpointSums][]> {
  const shards = Array.from({ length: SLOT_SHARDS }, (_, shard) => readPartition(table, slotPartition(slotMs, shard)));
  return (await Promise.all(shards)).flat().map((item) => [
    item['endpoint_id'] as string,
    {
      requests: numberFrom(item['requests']),
      failures: numberFrom(item['failures']),
      latencyMs: bucketsFrom('latency', item),
      throughput: bucketsFrom('throughput', item),
    },
  ]);
}

/** Stores the sums of an hour. Without any results, writes an empty item, which marks an hour without requests. */
export async function writeHour(table: Table, hourMs: number, sums: ReadonlyMap<string, HourSums>): Promise<void> {
  const endpoints = [...sums].map(([id, { requests, failures }]) => [id, [requests, failures]] as const);
  for (let part = 0; part === 0 || part * ENDPOINTS_IN_SLOT < endpoints.length; part += 1) {
    const some = endpoints.slice(part * ENDPOINTS_IN_SLOT, (part + 1) * ENDPOINTS_IN_SLOT);
    const item = {
      pk: HOURS,
      sk: `${new Date(hourMs).toISOString()}#${part}`,
      entity: 'endpoint_hour',
      endpoints: Object.fromEntries(some),
      [TTL_ATTRIBUTE]: secondsAt(hourMs + KEEP_HOUR_MS),
    };
    await writeAlone(table, put(table, item));
  }
}

/** Returns the hours that begin between these times, the last time excluded. */
export async function readHours(
  table: Table,
  fromMs: number,
  beforeMs: number,
): Promise<Map<number, Map<string, HourSums>>> {
  const hours = new Map<number, Map<string, HourSums>>();
  const [from, before] = [fromMs, beforeMs].map((ms) => new Date(ms).toISOString());
  for (const item of await readPartition(table, HOURS, { from: from!, before: before! })) {
    const hourMs = Date.parse((item['sk'] as string).split('#')[0]!);
    const sums = hours.get(hourMs) ?? new Map<string, HourSums>();
    for (const [id, [requests, failures]] of Object.entries(item['endpoints'] as Record<string, [unknown, unknown]>)) {
      sums.set(id, { requests: numberFrom(requests), failures: numberFrom(failures) });
    }
    hours.set(hourMs, sums);
  }
  return hours;
}

const HOURS = 'HEALTH#HOURS';

function slotPartition(slotMs: number, shard: number): string {
  return `HEALTH#${new Date(slotMs).toISOString()}#${shard}`;
}

/** Returns the items of a partition. The read is eventually consistent, which costs half as much. */
async function readPartition(table: Table, pk: string, range?: { from: string; before: string }): Promise<Item[]> {
  const items: Item[] = [];
  const query = {
    KeyConditionExpression: range ? 'pk = :pk AND sk BETWEEN :from AND :before' : 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk, ...(range ? { ':from': range.from, ':before': range.before } : {}) },
  };
  for await (const item of queryItems(table, query)) items.push(item);
  return items;
}

function slotAttributes(name: string, buckets: Buckets): Record<string, number> {
  return Object.fromEntries([...buckets].map(([bucket, count]) => [`${name}_${bucket}`, count]));
}

function bucketsFrom(name: string, item: Item): Buckets {
  const prefix = `${name}_`;
  const entries = Object.entries(item).filter(([attribute]) => attribute.startsWith(prefix));
  return new Map(entries.map(([attribute, count]) => [Number(attribute.slice(prefix.length)), numberFrom(count)]));
}

function secondsAt(ms: number): number {
  return Math.ceil(ms / 1_000);
}
