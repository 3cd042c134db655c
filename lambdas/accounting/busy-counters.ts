/**
 * This process remembers which counters have parts, as far as it knows. No money depends on it: a counter takes every settlement, and a part that is
 * closed takes none.
 */

import { BoundedMap } from '../platform/bounded-map.ts';
import { gatherCounter, spreadCounter } from '../store/counter-parts.ts';
import { COUNTER_PARTS, partKey, type ScopeId } from '../store/counters.ts';
import type { Table } from '../store/table.ts';
import type { Key } from '../store/writes.ts';

/** After a refusal a counter is used as one item for so long: who sets a limit has its parts taken in by then. */
const REFUSED_MS = 3_000;
const MAX_COUNTERS = 10_000;

/** The names of parts, by the names of their counters. */
const spreads = new BoundedMap<string, string>(MAX_COUNTERS);
/** Counters that cannot have parts for a while: they have limits, or their parts are closed. */
const refusals = new BoundedMap<string, { spread: string | undefined; untilMs: number }>(MAX_COUNTERS);

/** The name of a counter, as writes of settlements have it. */
export function counterName({ kind, id }: ScopeId): string {
  return `${kind}#${id}`;
}

/** The number of one of the parts, each as likely as the others. */
export function randomPart(): number {
  return Math.floor(Math.random() * COUNTER_PARTS);
}

/** The part of a counter with this number; undefined where it has none, as far as is known. */
export function partOf(scope: ScopeId, number: number): Key | undefined {
  const spread = spreads.get(counterName(scope));
  return spread === undefined ? undefined : partKey(scope, spread, number);
}

/** Whether a busy counter may get parts: it has none, and did not refuse any lately. */
export function mayGetParts(scope: ScopeId): boolean {
  const name = counterName(scope);
  return !spreads.has(name) && (refusals.get(name)?.untilMs ?? -Infinity) < performance.now();
}

/** Gives a busy counter parts, unless its scope has limits. Parts that are still closed are taken in: who closed them has died. */
export async function giveParts(table: Table, scope: ScopeId): Promise<void> {
  const name = counterName(scope);
  const refused = refusals.get(name)?.spread;
  const spread = await spreadCounter(table, scope);
  if (spread === undefined) return refuse(name, undefined);
  if (spread !== refused) return void spreads.set(name, spread);
  refuse(name, undefined);
  await gatherCounter(table, scope);
}

/** A part was closed: its counter gets a limit, or is looked through. */
export function forgetParts(scope: ScopeId): void {
  const name = counterName(scope);
  refuse(name, spreads.get(name));
}

function refuse(name: string, spread: string | undefined): void {
  spreads.delete(name);
  refusals.set(name, { spread, untilMs: performance.now() + REFUSED_MS });
}
