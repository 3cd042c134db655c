import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationsBetween } from '../store/generation-queries.ts';
import {
  leasedScopes,
  leasedTimes,
  leaseFound,
  leaseReturn,
  openLeaseKeys,
  readOpenLease,
  type Lease,
} from '../store/leases.ts';
import type { Table } from '../store/table.ts';
import { writeAlone, type FailedCondition } from '../store/transact.ts';
import type { Key } from '../store/writes.ts';
import { giveBackInScopes } from './give-back.ts';

/** The leases that the sweep looks at, and until when. */
interface DueLeases {
  nowMs: number;
  /** Runs of a local gateway that have ended. */
  deadBootIds?: readonly string[] | undefined;
  /** When nothing more may be begun, in the time of performance.now(). */
  deadlineMs?: number;
}

/** Returns the leases of processes that have died. Never throws: the next run tries again what failed. */
export async function returnDueLeases(table: Table, due: DueLeases): Promise<{ returned: number; failures: Error[] }> {
  const { nowMs: atMs, deadBootIds, deadlineMs = Infinity } = due;
  const failures: Error[] = [];
  let returned = 0;
  try {
    for await (const key of openLeaseKeys(table, deadBootIds ? {} : { sweepAtMs: atMs })) {
      if (performance.now() >= deadlineMs) break;
      await sweepLease(table, key, due).then(
        (wasReturned) => (returned += wasReturned ? 1 : 0),
        (error: unknown) => failures.push(error as Error),
      );
    }
  } catch (error) {
    failures.push(error as Error);
  }
  return { returned, failures };
}

/** @returns whether it was returned */
async function sweepLease(table: Table, key: Key, { nowMs: atMs, deadBootIds }: DueLeases): Promise<boolean> {
  const lease = await readOpenLease(table, key);
  if (!lease) return false;
  const isDue = (lease.sweepAtMs ?? 0) <= atMs;
  const isDead = deadBootIds?.includes(lease.bootId) === true;
  if (isDue && !isDead && lease.foundAtMs === undefined) await writeAlone(table, leaseFound(table, lease, atMs));
  else if (isDue || isDead) return (await returnLease(table, lease)) === undefined;
  return false;
}

/**
 * Returns a lease whose process has died, or does not know what it has written.
 *
 * Guarantee: what records have of the lease stays held until they are settled, and the rest is given back, once: the lease stops being open
 * in the transaction that gives back. Who is late finds it returned.
 * Guarantee: no record of it is written later, however wrong the clock of its process is: that gives a record up long before (store/leases.ts).
 * Weakness: the machine of the process was suspended for more than half a minute while the record waited for a connection, and went on (docs/guarantees.md).
 * Such a record is held by nothing.
 * @throws {StoreBusyError} the next sweep tries again
 */
async function returnLease(table: Table, lease: Lease): Promise<FailedCondition | undefined> {
  return endLease(table, lease, lease.amount.minus(await drawnFrom(table, lease)));
}

/**
 * Ends a lease, of which so much is left. One that was returned before stays as it is.
 * @returns the lease as it is where it was returned before, else undefined
 */
export function endLease(table: Table, lease: Lease, left: Money): Promise<FailedCondition | undefined> {
  const record = leaseReturn(table, lease, left, nowMs());
  if (left.isZero) return writeAlone(table, record);
  const held = { windows: windowsAt(lease.createdAtMs), amount: left };
  return giveBackInScopes(table, leasedScopes(lease), held, record);
}

/** The part of a lease that records have, whatever has become of them. */
export async function drawnFrom(table: Table, lease: Lease): Promise<Money> {
  const amounts: Money[] = [];
  for await (const generation of generationsBetween(table, lease.payer.accountId, leasedTimes(lease))) {
    if (generation.lease?.id === lease.id) amounts.push(generation.lease.amount);
  }
  return Money.sum(amounts);
}
