import { placeHold, type HoldRequest, type HoldResult, type PlacedHold } from '../../lambdas/admission/hold.ts';
import { Leases } from '../../lambdas/admission/leases.ts';
import { returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { openLeases, type Lease } from '../../lambdas/store/counters/leases.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { DynamodbCall } from './fault-proxy.ts';
import { books, holdRequest, newSpender, outcome, rub, type Spender } from './spending.ts';

/** Creates a spender whose key has this daily limit. */
export function limitedSpender(table: Table, limit: string): Promise<Spender> {
  return newSpender(table, { key: { daily: rub(limit) }, account: { lifetime: rub('1000') } });
}

/** Returns the lifetime amounts of the spender's key as the text "<spent> of <committed>". */
export async function keyOf(table: Table, spender: Spender): Promise<string | undefined> {
  return (await books(table, spender)).key[0];
}

export async function leasesOf(table: Table, spender: Spender): Promise<Lease[]> {
  const found: Lease[] = [];
  for await (const lease of openLeases(table)) if (lease.payer.keyHash === spender.payer.keyHash) found.push(lease);
  return found;
}

export function placed(result: HoldResult): PlacedHold {
  if ('refused' in result) throw new Error(`Refused: ${result.refused.kind}`);
  return result.placed;
}

/**
 * Creates leases of a process that takes a lease after two holds within a second. A lease is money that a process holds
 * in advance for several requests.
 * @param monotonicMs clock. It usually stands still, so that all holds are in the same second, even on a slow machine.
 */
export const eagerLeases = (monotonicMs = () => 0) => new Leases({ minHoldsASecond: 2 }, monotonicMs);

/**
 * Returns the leases of a process that has placed two holds of 0.4 RUB for a spender. The first hold was placed without
 * a lease. For the second, the process took a lease of 1.6 RUB. So 2 RUB are held, of which 1.2 RUB of the lease
 * remain.
 */
export async function withLease(table: Table, spender: Spender, monotonicMs?: () => number): Promise<Leases> {
  const leases = eagerLeases(monotonicMs);
  for (let hold = 0; hold < 2; hold += 1) placed(await placeHold(table, holdRequest(spender, rub('0.4')), { leases }));
  return leases;
}

/** Whether a call writes a single record. */
export const isRecord = ({ action }: DynamodbCall) => action === 'PutItem';

/** Settles the hold of a request. */
export async function settleOne(table: Table, { generation }: HoldRequest, cost: string): Promise<void> {
  const { id, payer } = generation;
  const { hold } = (await readGeneration(table, payer.accountId, id))!;
  const one = { generationId: id, payer, hold, outcome: outcome(rub(cost)) };
  const results = await settleBatch(table, [one], { swept: false });
  if (results[0] !== 'settled') throw new Error(`Not settled: ${String(results[0])}`);
}

/** Runs the sweep of leases twice. The first run finds the due leases, and the second run returns them. */
export async function sweepTwice(table: Table, nowMs: number): Promise<void> {
  for (const atMs of [nowMs, nowMs + 600_000]) {
    const { failures } = await returnDueLeases(table, { nowMs: atMs });
    if (failures.length > 0) throw new AggregateError(failures);
  }
}
