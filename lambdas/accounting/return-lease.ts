import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { log } from '../platform/logger.ts';
import { addDeltas, settleUpdate, type CounterDeltas } from '../store/counters/counters.ts';
import { generationsBetween } from '../store/generations/generation-queries.ts';
import {
  leaseCorrection,
  leasedScopes,
  leasedTimes,
  leaseFound,
  leaseReturn,
  readLease,
  sweptLeaseKeys,
  type Lease,
  type ReturnedAmount,
} from '../store/counters/leases.ts';
import type { Table } from '../store/table/table.ts';
import { transact, writeAlone, type FailedCondition, type Writes } from '../store/table/transact.ts';
import type { Key } from '../store/table/writes.ts';
import { counterName } from './busy-counters.ts';
import { releaseInScopes } from './release-in-scopes.ts';

interface DueLeases {
  nowMs: number;
  /** Ids of local gateway runs that have ended. */
  deadBootIds?: readonly string[] | undefined;
  /** Time of performance.now() after which no further lease is started. */
  deadlineMs?: number;
}

const LEASES_AT_ONCE = 8;

/**
 * Returns the money of leases (held in advance for many requests) that their processes did not return, and checks
 * earlier returns. Never rejects: the next run retries.
 */
export async function returnDueLeases(table: Table, due: DueLeases): Promise<{ returned: number; failures: Error[] }> {
  const { nowMs: atMs, deadBootIds, deadlineMs = Infinity } = due;
  const failures: Error[] = [];
  let returned = 0;
  const keys = sweptLeaseKeys(table, deadBootIds ? {} : { sweepAtMs: atMs });
  const worker = async () => {
    while (performance.now() < deadlineMs) {
      const { value: key, done } = await keys.next();
      if (done) return;
      await sweepLease(table, key, due).then(
        (wasReturned) => (returned += wasReturned ? 1 : 0),
        (error: unknown) => failures.push(error as Error),
      );
    }
  };
  for (const ended of await Promise.allSettled(Array.from({ length: LEASES_AT_ONCE }, worker))) {
    if (ended.status === 'rejected') failures.push(ended.reason as Error);
  }
  return { returned, failures };
}

/**
 * Returns the money of a lease whose local gateway run has ended, or that an earlier sweep has already found due. The
 * first sweep that finds a lease due only records this fact, because the lease's process may still be writing records.
 * @returns whether this call returned the money
 */
async function sweepLease(table: Table, key: Key, { nowMs: atMs, deadBootIds }: DueLeases): Promise<boolean> {
  const lease = await readLease(table, key);
  // The index may be out of date: the lease may need no check any more.
  if (lease?.sweepAtMs === undefined) return false;
  const isDue = lease.sweepAtMs <= atMs;
  if (lease.state === 'returned') {
    if (isDue) await checkReturned(table, lease);
    return false;
  }
  const isDead = deadBootIds?.includes(lease.bootId) === true;
  if (isDue && !isDead && lease.foundAtMs === undefined) await writeAlone(table, leaseFound(table, lease, atMs));
  else if (isDue || isDead) return (await returnLease(table, lease)) === undefined;
  return false;
}

/**
 * Returns the money of a lease whose process has died, or does not know all records of its requests.
 *
 * Guarantee: amounts in generation records of the lease stay held until they are settled. The remainder is returned
 * only once, because the same transaction also closes the lease.
 * Guarantee: if a record is written after the return, a correction holds the record's amount again.
 * Weakness: before this correction, the scopes admit too much. If a dying process writes a record after the sweep has
 * checked the returned amount, no correction follows; `admin reconcile --deep` reports it.
 * @returns undefined on success; the stored lease if its money was returned earlier
 * @throws {Error} if the table is busy or fails; the next sweep retries
 */
async function returnLease(table: Table, lease: Lease): Promise<FailedCondition | undefined> {
  return endLease(table, lease, lease.amount.minus(await drawnFrom(table, lease)), { isChecked: true });
}

/** Compares the returned amount of a lease with the lease's records, and corrects it once. */
async function checkReturned(table: Table, lease: Lease): Promise<void> {
  const { was, is } = await returnOf(table, lease);
  const wasCorrected = (await correctReturn(table, lease, { was, is })) === undefined;
  if (wasCorrected && !was.equals(is)) logCorrection(lease, { was, is });
}

/** Returns the amount that was returned from a lease, and the amount that should have been returned. */
async function returnOf(table: Table, lease: Lease): Promise<ReturnedAmount> {
  const { returned: was = Money.zero } = lease;
  return { was, is: lease.amount.minus(await drawnFrom(table, lease)) };
}

/** Returns whether an account has a lease whose wrong returned amount is not corrected yet. */
export async function awaitsCorrection(table: Table, accountId: string): Promise<boolean> {
  for await (const key of sweptLeaseKeys(table)) {
    const lease = await readLease(table, key);
    if (lease?.state !== 'returned' || lease.payer.accountId !== accountId) continue;
    const { was, is } = await returnOf(table, lease);
    if (lease.sweepAtMs !== undefined && !was.equals(is)) return true;
  }
  return false;
}

/**
 * Ends a lease, and returns its remaining amount to its scopes, unless it was returned earlier.
 * @param how.isChecked whether the sweep later checks the returned amount against the lease's records
 * @returns the stored lease if it was returned earlier, otherwise undefined
 */
export function endLease(
  table: Table,
  lease: Lease,
  left: Money,
  { isChecked = false } = {},
): Promise<FailedCondition | undefined> {
  const record = leaseReturn(table, lease, left, { atMs: nowMs(), isChecked });
  if (left.isZero) return writeAlone(table, record);
  const held = { windows: windowsAt(lease.createdAtMs), amount: left };
  return releaseInScopes(table, leasedScopes(lease), held, record);
}

/**
 * Changes the returned amount of a lease, and the counters by the difference, in one transaction. It uses no parts of
 * counters, because the amount may exceed the room of a part.
 * @returns undefined on success; the stored lease if another process has corrected it
 */
export async function correctReturn(
  table: Table,
  lease: Lease,
  returned: ReturnedAmount,
): Promise<FailedCondition | undefined> {
  const record = leaseCorrection(table, lease, returned);
  const committed = returned.was.minus(returned.is);
  if (committed.isZero) return writeAlone(table, record);
  const deltas: CounterDeltas = new Map();
  // Skips windows that were removed from the counter: a write would create them with only the difference.
  addDeltas(deltas, windowsAt(lease.createdAtMs), { spent: Money.zero, committed }, { keptAtMs: nowMs() });
  const counters: Writes = {};
  for (const scope of leasedScopes(lease)) counters[counterName(scope)] = settleUpdate(table, scope, deltas);
  const outcome = await transact<string>(table, { ...counters, record });
  return outcome.committed ? undefined : outcome.failed['record'];
}

export function logCorrection({ id }: Lease, { was, is }: ReturnedAmount): void {
  log('warn', 'returned lease corrected', { leaseId: id, differenceRub: was.minus(is).toString() });
}

/** Returns the total amount that generation records, pending or final, have taken from a lease. */
export async function drawnFrom(table: Table, lease: Lease): Promise<Money> {
  const amounts: Money[] = [];
  for await (const generation of generationsBetween(table, lease.payer.accountId, leasedTimes(lease))) {
    if (generation.lease?.id === lease.id) amounts.push(generation.lease.amount);
  }
  return Money.sum(amounts);
}
