import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationsBetween } from '../store/generation-queries.ts';
import { leasedScopes, leasedTimes, leaseReturn, openLeases, type Lease } from '../store/leases.ts';
import type { Table } from '../store/table.ts';
import { writeAlone } from '../store/transact.ts';
import { giveBackInScopes } from './give-back.ts';

/** The leases that are to be returned, and until when. */
interface DueLeases {
  nowMs: number;
  /** Runs of a local gateway that have ended. */
  deadBootIds?: readonly string[] | undefined;
  /** When nothing more may be begun, in the time of performance.now(). */
  deadlineMs?: number;
}

/** Returns the leases of processes that have died. Never throws: the next run tries again what failed. */
export async function returnDueLeases(
  table: Table,
  { nowMs: atMs, deadBootIds, deadlineMs = Infinity }: DueLeases,
): Promise<{ returned: number; failures: Error[] }> {
  const failures: Error[] = [];
  let returned = 0;
  try {
    for await (const lease of openLeases(table, deadBootIds ? {} : { sweepAtMs: atMs })) {
      if (performance.now() >= deadlineMs) break;
      const isDue = deadBootIds?.includes(lease.bootId) || (lease.sweepAtMs ?? 0) <= atMs;
      if (!isDue) continue;
      await returnLease(table, lease).then(
        () => (returned += 1),
        (error: unknown) => failures.push(error as Error),
      );
    }
  } catch (error) {
    failures.push(error as Error);
  }
  return { returned, failures };
}

/**
 * Returns a lease whose process has died, or does not know what it has written.
 *
 * Guarantee: what records have of the lease stays held until they are settled, and the rest is given back, once: the lease stops being open
 * in the transaction that gives back. Who is late finds it returned.
 * Weakness: a record of it that is written later than this is held by nothing. Its process was stopped for two minutes and went on, its write has
 * waited for as long in a queue of calls, or its clock is as much too slow (docs/guarantees.md).
 * @throws {StoreBusyError} the next sweep tries again
 */
async function returnLease(table: Table, lease: Lease): Promise<void> {
  await endLease(table, lease, lease.amount.minus(await drawnFrom(table, lease)));
}

/** Ends a lease, of which so much is left. One that was returned before stays as it is. */
export async function endLease(table: Table, lease: Lease, left: Money): Promise<void> {
  const record = leaseReturn(table, lease, left, nowMs());
  if (left.isZero) await writeAlone(table, record);
  else
    await giveBackInScopes(table, leasedScopes(lease), { windows: windowsAt(lease.createdAtMs), amount: left }, record);
}

/** The part of a lease that records have, whatever has become of them. */
export async function drawnFrom(table: Table, lease: Lease): Promise<Money> {
  const amounts: Money[] = [];
  for await (const generation of generationsBetween(table, lease.payer.accountId, leasedTimes(lease))) {
    if (generation.lease?.id === lease.id) amounts.push(generation.lease.amount);
  }
  return Money.sum(amounts);
}
