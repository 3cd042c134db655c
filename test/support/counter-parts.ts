/** Creates counters that are split into parts (items), without waiting for write conflicts. */

import { rememberLimitedParts } from '../../lambdas/accounting/busy-counters.ts';
import type { Scope, ScopeId, StoredCounter } from '../../lambdas/store/counters/counters.ts';
import {
  addDeltas,
  counterKey,
  partKey,
  readCounter,
  settleUpdate,
  spreadOf,
} from '../../lambdas/store/counters/counters.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { grantParts, type LimitedParts } from '../../lambdas/store/counters/limited-parts.ts';
import { readItem, readItems } from '../../lambdas/store/table/query.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';
import { transact, type TransactOutcome } from '../../lambdas/store/table/transact.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { rub } from './spending.ts';
import { newTable } from './table.ts';

/** Adds spending to a part of a counter, or to the counter itself if `spread` is undefined. */
export async function count(
  table: Table,
  scope: ScopeId,
  { amount, spread, part = 0, atMs = Date.now() }: { amount: string; spread?: string; part?: number; atMs?: number },
): Promise<TransactOutcome> {
  const deltas = new Map<string, bigint>();
  addDeltas(deltas, windowsAt(atMs), { spent: rub(amount), committed: rub(amount) });
  const key = spread === undefined ? undefined : partKey(scope, spread, part);
  return transact(table, { counter: settleUpdate(table, scope, deltas, key) });
}

export async function newTableWithParts(): Promise<Table> {
  const table = await newTable();
  await allowParts(table);
  return table;
}

export const spentIn = (counter: StoredCounter) => counter.spent('lifetime').toString();

/** Sums the spending over a counter and its parts. */
export async function spent(table: Table, scope: ScopeId): Promise<string> {
  return spentIn(await readCounter(table, scope));
}

export async function rootOf(table: Table, scope: ScopeId): Promise<Item> {
  return (await readItem(table, counterKey(scope))) ?? {};
}

export async function hasParts(table: Table, scope: ScopeId): Promise<boolean> {
  return spreadOf(await rootOf(table, scope)) !== undefined;
}

/** Returns the items of parts. Missing parts are skipped. */
export function partsAt(table: Table, scope: ScopeId, spread: string, numbers: number[]): Promise<Item[]> {
  return readItems(
    table,
    numbers.map((number) => partKey(scope, spread, number)),
  );
}

/**
 * Creates parts (items) for the counter of a limited scope.
 * @throws {Error} if no parts can be created, for example because too little of the limit remains
 */
export async function giveLimitedParts(table: Table, scope: Scope): Promise<LimitedParts> {
  const parts = await grantParts(table, scope, { windows: windowsAt(Date.now()), amount: rub('0.001') });
  if (!parts) throw new Error('The counter got no parts');
  rememberLimitedParts(scope, parts);
  return parts;
}

/** Lets the next `times` transactions with this counter fail with a conflict. */
export function conflictAt(proxy: FaultProxy, { kind, id }: ScopeId, times = 3): void {
  let left = times;
  const root = `{"pk":{"S":"COUNTER#${kind}#${id}"},"sk":{"S":"COUNTER"}}`;
  proxy.faultFor = ({ action, body }) => {
    const meets = action === 'TransactWriteItems' && body.includes(root) && left > 0;
    if (meets) left -= 1;
    return meets ? { conflictsAt: root } : undefined;
  };
}
