import { placeHold, type HoldRequest, type HoldResult, type PlacedHold } from '../../lambdas/admission/hold.ts';
import { Leases } from '../../lambdas/admission/leases.ts';
import { returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { openLeases, type Lease } from '../../lambdas/store/counters/leases.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { DynamodbCall } from './fault-proxy.ts';
import { books, holdRequest, newSpender, outcome, rub, type Spender } from './spending.ts';

export function limitedSpender(table: Table, limit: string): Promise<Spender> {
  return newSpender(table, { key: { daily: rub(limit) }, account: { lifetime: rub('1000') } });
}

/** Returns "<spent> of <committed>" of the spender's key. */
export async function keyOf(table: Table, spender: Spender): Promise<string | undefined> {
  return (await books(table, spender)).key.lifetime;
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
 * Leases of a process that takes a lease (money for several requests) after two holds within a second.
 * @param monotonicMs clock. It usually stands still, so that all holds are in the same second.
 */
export const eagerLeases = (monotonicMs = () => 0) => new Leases({ minHoldsASecond: 2 }, monotonicMs);

/**
 * Returns leases after two holds of 0.4 RUB: the first without a lease, the second from a lease of 1.6 RUB. So the
 * key's counter has 2 RUB committed, of which 1.2 RUB remain in the lease.
 */
export async function withLease(table: Table, spender: Spender, monotonicMs?: () => number): Promise<Leases> {
  const leases = eagerLeases(monotonicMs);
  for (let hold = 0; hold < 2; hold += 1) placed(await placeHold(table, holdRequest(spender, rub('0.4')), { leases }));
  return leases;
}

export const isRecord = ({ action }: DynamodbCall) => action === 'PutItem';

export async function settleOne(table: Table, { generation }: HoldRequest, cost: string): Promise<void> {
  const { id, payer } = generation;
  const { hold } = (await readGeneration(table, payer.accountId, id))!;
  const one = { generationId: id, payer, hold, outcome: outcome(rub(cost)) };
  const results = await settleBatch(table, [one], { swept: false });
  if (results[0] !== 'settled') throw new Error(`Not settled: ${String(results[0])}`);
}

/** Runs the sweep twice: the first run finds the due leases, and the second returns them. */
export async function sweepTwice(table: Table, nowMs: number): Promise<void> {
  for (const atMs of [nowMs, nowMs + 600_000]) {
    const { failures } = await returnDueLeases(table, { nowMs: atMs });
    if (failures.length > 0) throw new AggregateError(failures);
  }
}
