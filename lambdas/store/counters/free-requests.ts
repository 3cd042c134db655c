/**
 * Numbers of requests to free models: per account and UTC day, per account and minute, and per network (an IPv4 address
 * or an IPv6 /64) and UTC day. A network is stored only as a keyed hash, which changes every day.
 */

import { DAY_MS } from '../../money/periods.ts';
import { readItem } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { update, type Key, type Write } from '../table/writes.ts';

const MINUTE_MS = 60_000;

export interface FreeCount {
  key: Key;
  endsAtMs: number;
}

export function accountDay(accountId: string, atMs: number): FreeCount {
  const startMs = windowStart(atMs, DAY_MS);
  return {
    key: { pk: `FREE#ACCOUNT#${accountId}`, sk: `DAY#${freeWindowName(startMs, 10)}` },
    endsAtMs: startMs + DAY_MS,
  };
}

export function accountMinute(accountId: string, atMs: number): FreeCount {
  const startMs = windowStart(atMs, MINUTE_MS);
  return {
    key: { pk: `FREE#ACCOUNT#${accountId}`, sk: `MINUTE#${freeWindowName(startMs, 16)}` },
    endsAtMs: startMs + MINUTE_MS,
  };
}

/** Returns the count of a network's requests in a UTC day. `hash` is a keyed hash of the network and the day. */
export function addressDay(hash: string, atMs: number): FreeCount {
  const startMs = windowStart(atMs, DAY_MS);
  return { key: { pk: `FREE#ADDRESS#${hash}`, sk: `DAY#${freeWindowName(startMs, 10)}` }, endsAtMs: startMs + DAY_MS };
}

/** Adds one request to a count, unless the count has reached `most`, which is at least 1. */
export function placeUpdate(table: Table, count: FreeCount, most: number): Write {
  return update(table, count.key, {
    set: freeRequestConstants(count),
    add: { requests: 1 },
    when: { atMostIfPresent: { requests: most - 1 } },
  });
}

/** Returns the write that adds a number, which may be negative, to a count. It has no condition. */
export function placesUpdate(table: Table, count: FreeCount, change: number): Write {
  return update(table, count.key, { set: freeRequestConstants(count), add: { requests: change } });
}

export async function readRequests(table: Table, { key }: FreeCount): Promise<number> {
  return requestsFrom(await readItem(table, key));
}

export function requestsFrom(item: Item | undefined): number {
  return Math.max(0, numberFrom(item?.['requests']));
}

/** A count expires a day after its period, because a settlement may be late. */
function freeRequestConstants({ endsAtMs }: FreeCount): Item {
  return { entity: 'free_requests', [TTL_ATTRIBUTE]: (endsAtMs + DAY_MS) / 1_000 };
}

function windowStart(atMs: number, lengthMs: number): number {
  return atMs - (atMs % lengthMs);
}

function freeWindowName(startMs: number, characters: number): string {
  return new Date(startMs).toISOString().slice(0, characters);
}
