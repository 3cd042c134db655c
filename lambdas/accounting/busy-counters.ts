/**
 * Busy counters that are split into several items (parts), as known to this process. A wrong entry costs no money: a
 * closed part accepts nothing, and a counter that has granted room to parts takes no hold itself.
 */

import { BoundedMap } from '../platform/bounded-map.ts';
import { gatherCounter, spreadCounter } from '../store/counters/counter-parts.ts';
import { COUNTER_PARTS, partKey, type ScopeId } from '../store/counters/counters.ts';
import { readLimitedParts, type LimitedParts } from '../store/counters/limited-parts.ts';
import type { Table } from '../store/table/table.ts';
import type { Key } from '../store/table/writes.ts';

/**
 * Time in ms for which a counter is used as one item after a part has refused a write. A part refuses while a change of
 * a limit merges the parts, which takes less time.
 */
const REFUSED_MS = 3_000;
const MAX_COUNTERS = 10_000;

/** Parts of a counter. If the counter has limits, it grants room to its parts in steps of this amount. */
type KnownParts = Pick<LimitedParts, 'spread'> & Partial<LimitedParts>;

/** Parts that this process knows, by the names of their counters. */
const spreads = new BoundedMap<string, KnownParts>(MAX_COUNTERS);
/**
 * Counters that are used as one item for a few seconds, without parts. Their limits leave too little room for parts, or
 * their parts are closed.
 */
const refusals = new BoundedMap<string, { spread: string | undefined; untilMs: number }>(MAX_COUNTERS);

/** Returns the name that identifies the counter of a scope within a transaction. */
export function counterName({ kind, id }: ScopeId): string {
  return `${kind}#${id}`;
}

/** Returns a uniformly random part number. */
export function randomPart(): number {
  return Math.floor(Math.random() * COUNTER_PARTS);
}

/**
 * Returns the part of a counter with this number; undefined if no parts of the counter are known.
 * @param settles.isHeld whether every settled request held money in the scope; parts of a limited counter accept no
 *   other settlements
 */
export function partOf(scope: ScopeId, number: number, settles: { isHeld: boolean }): Key | undefined {
  const known = spreads.get(counterName(scope));
  if (!known || (known.grant && !settles.isHeld)) return undefined;
  return partKey(scope, known.spread, number);
}

/** Returns the known parts of a counter with limits. */
export function limitedPartsOf(scope: ScopeId): LimitedParts | undefined {
  const { spread, grant } = spreads.get(counterName(scope)) ?? {};
  return spread === undefined || grant === undefined ? undefined : { spread, grant };
}

/**
 * Returns whether to split a busy counter into parts: it has no known parts, and parts have not failed in the last few
 * seconds.
 */
export function mayGetParts(scope: ScopeId): boolean {
  const name = counterName(scope);
  return !spreads.has(name) && (refusals.get(name)?.untilMs ?? -Infinity) < performance.now();
}

/**
 * Splits a busy counter without limits into parts. At a counter with limits, only holds make parts, and this function
 * finds them. Parts that stay closed are merged, because the process that closed them has died.
 */
export async function giveParts(table: Table, scope: ScopeId): Promise<void> {
  const name = counterName(scope);
  const refused = refusals.get(name)?.spread;
  const spread = await spreadCounter(table, scope);
  const parts = spread === undefined ? await readLimitedParts(table, scope) : { spread };
  if (parts === undefined) return refuse(name, undefined);
  if (parts.spread !== refused) return void spreads.set(name, parts);
  refuse(name, undefined);
  await gatherCounter(table, scope);
}

/** Records that the parts of a limited counter were made or found. */
export function rememberLimitedParts(scope: ScopeId, parts: LimitedParts): void {
  spreads.set(counterName(scope), parts);
}

/** Records that a part was closed, because its counter gets another limit or is being read as a whole. */
export function forgetParts(scope: ScopeId): void {
  const name = counterName(scope);
  refuse(name, spreads.get(name)?.spread);
}

function refuse(name: string, spread: string | undefined): void {
  spreads.delete(name);
  refusals.set(name, { spread, untilMs: performance.now() + REFUSED_MS });
}
