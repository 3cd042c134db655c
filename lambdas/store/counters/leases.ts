/**
 * Leases: money held in all limited scopes of one payer, for a process that serves many requests. The record of a
 * request names the lease and the amount that it has taken, and needs no hold of its own.
 *
 * The return of a lease frees only the money that no record has taken. Money in records stays held until the records
 * are settled.
 */

import type { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { ScopeId } from './counters.ts';
import { heldScopesField } from './tag-scopes.ts';
import { payerRecord, scopesOf } from '../accounts/payer.ts';
import { queryItems, readItem } from '../table/query.ts';
import { instant, money, oneOf, optional, part, record, text, type RecordOf } from '../table/record.ts';
import { indexes, moneyAttribute, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { putNew, update, type Key, type Write } from '../table/writes.ts';

const leaseRecord = record({
  id: text('id'),
  payer: part(payerRecord),
  state: oneOf('state', ['open', 'returned']),
  amount: money('amount_rub'),
  /** Scopes with limits, in each of which the money is held. */
  scopes: heldScopesField,
  /** Time of creation. The money is held in the windows (day, week, month) that contain this time. */
  createdAtMs: instant('created_at'),
  bootId: text('boot_id'),
  /** Time of the sweep's next check; absent if none is needed. */
  sweepAtMs: optional(instant(indexes.sweep.sort)),
  /** Time at which the sweep found the lease open, by the sweep's clock. */
  foundAtMs: optional(instant('found_at')),
  returned: optional(money('returned_rub')),
});

export type Lease = RecordOf<typeof leaseRecord>;

export const leaseAttributes = leaseRecord.attributes;

/** Time in ms from the creation of a lease during which a process may take holds from it. */
export const LEASE_MS = 2_000;
/** Maximum time in ms for writing a record that names a lease. */
export const RECORD_TIMEOUT_MS = 30_000;
/** Age in ms at which the sweep first checks a lease that is still open. */
const SWEPT_AFTER_MS = 2 * (LEASE_MS + RECORD_TIMEOUT_MS);
/**
 * Minimum time in ms between the run of the sweep that first finds a lease open and the run that returns it. Only the
 * sweep's clock measures it.
 */
const RETURNED_AFTER_FOUND_MS = 50_000;
/**
 * Time in ms between the return of a lease and the comparison of the returned amount with the lease's records. The
 * amount is wrong if the process was suspended while it wrote a record, or if the clock of another sweep is minutes
 * ahead.
 */
const CHECKED_AFTER_RETURN_MS = 20 * 60_000;
/** Maximum time in ms between the admission of a request and the creation of the lease that it uses. */
const MAX_WAITED_MS = 5_000;

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
 * Returns the first and last admission time that records of a lease may have. Both are in one UTC day, so that the
 * lease and its requests have the same windows.
 */
export function leasedTimes({ createdAtMs }: Pick<Lease, 'createdAtMs'>): { fromMs: number; toMs: number } {
  const dayStartMs = createdAtMs - (createdAtMs % DAY_MS);
  return {
    fromMs: Math.max(createdAtMs - MAX_WAITED_MS, dayStartMs),
    toMs: Math.min(createdAtMs + LEASE_MS, dayStartMs + DAY_MS - 1),
  };
}

/** Returns whether a request with this admission time could use a lease that is created now. */
export function isLeasable({ createdAtMs }: { createdAtMs: number }): boolean {
  const { fromMs, toMs } = leasedTimes({ createdAtMs: nowMs() });
  return createdAtMs >= fromMs && createdAtMs <= toMs;
}

/** Time in ms for which a returned lease is kept. */
const KEPT_AFTER_RETURN_MS = 7 * DAY_MS;

export const LEASE_SWEEP_PARTITIONS = Array.from({ length: 8 }, (_, part) => `LEASES#${part}`);

function leaseKey(id: string): Key {
  return { pk: `LEASE#${id}`, sk: 'LEASE' };
}

function duePartitionOf(id: string): string {
  return LEASE_SWEEP_PARTITIONS[Number.parseInt(id.slice(-1), 16) % LEASE_SWEEP_PARTITIONS.length]!;
}

export function leasePut(table: Table, lease: Lease): Write {
  return putNew(table, {
    ...leaseKey(lease.id),
    [indexes.sweep.partition]: duePartitionOf(lease.id),
    entity: 'lease',
    ...leaseRecord.toItem(lease),
  });
}

export function leaseFound(table: Table, { id }: Lease, atMs: number): Write {
  const set = {
    found_at: new Date(atMs).toISOString(),
    [indexes.sweep.sort]: new Date(atMs + RETURNED_AFTER_FOUND_MS).toISOString(),
  };
  return update(table, leaseKey(id), { set, when: { equal: { state: 'open' } } });
}

const outOfSweep = [indexes.sweep.partition, indexes.sweep.sort];

/**
 * Returns the write that ends an open lease. Its condition ensures that the transaction with this write succeeds only
 * once.
 * @param how.isChecked whether the sweep later compares the lease with its records
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

/** `was` is the amount that was returned from a lease, and `is` the amount that should have been returned. */
export interface ReturnedAmount {
  was: Money;
  is: Money;
}

/** Returns the write that corrects the returned amount. It fails if the amount has changed since it was read. */
export function leaseCorrection(table: Table, { id }: Lease, { was, is }: ReturnedAmount): Write {
  return update(table, leaseKey(id), {
    set: { returned_rub: moneyAttribute(is) },
    remove: outOfSweep,
    when: { equal: { state: 'returned', returned_rub: moneyAttribute(was) } },
  });
}

/**
 * Yields the keys of open leases, and of returned leases that are not compared with their records yet. The index may be
 * out of date.
 * @param upTo.sweepAtMs only leases whose check is due at this time
 */
export async function* sweptLeaseKeys(table: Table, upTo: { sweepAtMs?: number } = {}): AsyncGenerator<Key, void> {
  const untilMs = upTo.sweepAtMs;
  for (const partition of LEASE_SWEEP_PARTITIONS) {
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

/** Returns the amount that was returned from a lease; undefined if the lease is open. */
export function returnedOf(item: Item): Money | undefined {
  return leaseRecord.from(item).returned;
}

export function leasedScopes({ payer, scopes }: Lease): ScopeId[] {
  return scopesOf(payer).filter(({ kind }) => scopes.includes(kind));
}
