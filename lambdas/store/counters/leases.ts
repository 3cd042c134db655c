/**
 * Leases: money held in all limited scopes of one payer, for a process that serves many requests. A request's hold is
 * then a part of the lease and needs no transaction of its own. The record of the request names the lease, and its
 * amount of it.
 *
 * Counters count a lease like a hold, from the transaction that creates it to the one that returns it. The returned
 * amount is the part that no record holds. Amounts on records stay counted, and are settled with them.
 */

import * as z from 'zod';
import type { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { scopeKinds, type ScopeId, type ScopeKind } from './counters.ts';
import { payerRecord, scopesOf } from '../accounts/payer.ts';
import { queryItems, readItem } from '../table/query.ts';
import { instant, money, oneOf, optional, part, plain, record, text, type RecordOf } from '../table/record.ts';
import { indexes, moneyAttribute, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { putNew, update, type Key, type Write } from '../table/writes.ts';

const leaseRecord = record({
  id: text('id'),
  payer: part(payerRecord),
  state: oneOf('state', ['open', 'returned']),
  amount: money('amount_rub'),
  /** Scopes with limits. The money is held in each of them. */
  scopes: plain<ScopeKind[]>('held_scopes', () => z.array(z.enum(scopeKinds))),
  /** The windows of its money are those of this moment. */
  createdAtMs: instant('created_at'),
  bootId: text('boot_id'),
  /** When the sweep checks it next; absent if it needs no further check. */
  sweepAtMs: optional(instant(indexes.sweep.sort)),
  /** When the sweep found it open, by the sweep's clock. */
  foundAtMs: optional(instant('found_at')),
  returned: optional(money('returned_rub')),
});

export type Lease = RecordOf<typeof leaseRecord>;

export const leaseAttributes = leaseRecord.attributes;

/** A process takes holds from a lease for this long. */
export const LEASE_MS = 2_000;
/** A record that names a lease is abandoned if it is not written within this time. */
export const RECORD_TIMEOUT_MS = 30_000;
/** The sweep checks a lease that is still open this long after its creation, by the clock of its process. */
const SWEPT_AFTER_MS = 2 * (LEASE_MS + RECORD_TIMEOUT_MS);
/**
 * The sweep returns a lease that is still open this long after that check, by the sweep's own clock. By then its last
 * record is written or abandoned, however slow the clock of its process is. Shorter than the minute between two runs,
 * so the next run returns it.
 */
const RETURNED_AFTER_LOOK_MS = 50_000;
/**
 * The sweep compares a lease that it has returned with its records once more, this long afterwards. The return may have
 * been wrong: its process was suspended while a record was being written, or another sweep's clock is minutes ahead.
 */
const CHECKED_AFTER_RETURN_MS = 20 * 60_000;
/** A request that has waited longer, for its prompt or for the money of others, has its own hold. */
const MAX_WAITED_MS = 5_000;

/** A new lease that begins now. */
export function newLease(of: Pick<Lease, 'payer' | 'amount' | 'scopes' | 'bootId'>): Lease {
  const createdAtMs = nowMs();
  const sweepAtMs = createdAtMs + SWEPT_AFTER_MS;
  return {
    ...of,
    id: uuidv7(createdAtMs),
    state: 'open',
    createdAtMs,
    sweepAtMs,
    foundAtMs: undefined,
    returned: undefined,
  };
}

/**
 * The range of admission times, both included, that all records of a lease have. It lies within one UTC day, so that
 * the lease and its requests have the same windows.
 */
export function leasedTimes({ createdAtMs }: Pick<Lease, 'createdAtMs'>): { fromMs: number; toMs: number } {
  const dayStartMs = createdAtMs - (createdAtMs % DAY_MS);
  return {
    fromMs: Math.max(createdAtMs - MAX_WAITED_MS, dayStartMs),
    toMs: Math.min(createdAtMs + LEASE_MS, dayStartMs + DAY_MS - 1),
  };
}

/** Whether a request could use a lease that is taken now. */
export function isLeasable({ createdAtMs }: { createdAtMs: number }): boolean {
  const { fromMs, toMs } = leasedTimes({ createdAtMs: nowMs() });
  return createdAtMs >= fromMs && createdAtMs <= toMs;
}

/** A returned lease is kept for a while, to help explain a difference. */
const KEPT_AFTER_RETURN_MS = 7 * DAY_MS;

/** Leases for the sweep are in its index like pending generations, in partitions of their own. */
const duePartitions = Array.from({ length: 8 }, (_, part) => `LEASES#${part}`);

function leaseKey(id: string): Key {
  return { pk: `LEASE#${id}`, sk: 'LEASE' };
}

function duePartitionOf(id: string): string {
  return duePartitions[Number.parseInt(id.slice(-1), 16) % duePartitions.length]!;
}

export function leasePut(table: Table, lease: Lease): Write {
  return putNew(table, {
    ...leaseKey(lease.id),
    [indexes.sweep.partition]: duePartitionOf(lease.id),
    entity: 'lease',
    ...leaseRecord.toItem(lease),
  });
}

/** Records that the sweep has found a lease open, and the time of its next check. */
export function leaseFound(table: Table, { id }: Lease, atMs: number): Write {
  const set = {
    found_at: new Date(atMs).toISOString(),
    [indexes.sweep.sort]: new Date(atMs + RETURNED_AFTER_LOOK_MS).toISOString(),
  };
  return update(table, leaseKey(id), { set, when: { equal: { state: 'open' } } });
}

/** Index attributes to remove from a lease that needs no further sweep. */
const outOfSweep = [indexes.sweep.partition, indexes.sweep.sort];

/**
 * Ends an open lease. Its condition makes that happen once, together with the other writes of its transaction.
 * @param how.isChecked whether the sweep compares it with its records once more
 */
export function leaseReturn(
  table: Table,
  { id }: Lease,
  returned: Money,
  { atMs, isChecked }: { atMs: number; isChecked: boolean },
): Write {
  const expiresAt = Math.ceil((atMs + KEPT_AFTER_RETURN_MS) / 1_000);
  const set = { state: 'returned', returned_rub: moneyAttribute(returned), [TTL_ATTRIBUTE]: expiresAt };
  const when = { equal: { state: 'open' } };
  if (!isChecked) return update(table, leaseKey(id), { set, remove: outOfSweep, when });
  const checkedAt = new Date(atMs + CHECKED_AFTER_RETURN_MS).toISOString();
  return update(table, leaseKey(id), { set: { ...set, [indexes.sweep.sort]: checkedAt }, when });
}

/** A returned amount, and the amount that should have been returned. */
export interface ReturnedAmount {
  was: Money;
  is: Money;
}

/**
 * Records the right amount of a returned lease. Its condition is the amount that was read, so each correction happens
 * once.
 */
export function leaseCorrection(table: Table, { id }: Lease, { was, is }: ReturnedAmount): Write {
  return update(table, leaseKey(id), {
    set: { returned_rub: moneyAttribute(is) },
    remove: outOfSweep,
    when: { equal: { state: 'returned', returned_rub: moneyAttribute(was) } },
  });
}

/**
 * The keys of leases that the sweep has to check: open ones, and returned ones. The index may be slightly behind.
 * @param upTo.sweepAtMs only leases that are due by then; there may be as many others as there are busy keys
 */
export async function* sweptLeaseKeys(table: Table, upTo: { sweepAtMs?: number } = {}): AsyncGenerator<Key, void> {
  const untilMs = upTo.sweepAtMs;
  for (const partition of duePartitions) {
    const entries = queryItems(table, {
      IndexName: indexes.sweep.name,
      KeyConditionExpression:
        untilMs === undefined ? '#partition = :partition' : '#partition = :partition AND #at <= :at',
      ExpressionAttributeNames: {
        '#partition': indexes.sweep.partition,
        ...(untilMs === undefined ? {} : { '#at': indexes.sweep.sort }),
      },
      ExpressionAttributeValues: {
        ':partition': partition,
        ...(untilMs === undefined ? {} : { ':at': new Date(untilMs).toISOString() }),
      },
    });
    for await (const { pk, sk } of entries) yield { pk: pk as string, sk: sk as string };
  }
}

export async function readLease(table: Table, key: Key): Promise<Lease | undefined> {
  const item = await readItem(table, key);
  return item && leaseRecord.from(item);
}

export async function* openLeases(table: Table): AsyncGenerator<Lease, void> {
  for await (const key of sweptLeaseKeys(table)) {
    const lease = await readLease(table, key);
    if (lease?.state === 'open') yield lease;
  }
}

/** The returned amount of a lease item. */
export function returnedOf(item: Item): Money | undefined {
  return leaseRecord.from(item).returned;
}

/** The scopes in which the money of a lease is held. */
export function leasedScopes({ payer, scopes }: Lease): ScopeId[] {
  return scopesOf(payer).filter(({ kind }) => scopes.includes(kind));
}
