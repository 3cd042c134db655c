/**
 * Cache of the parts of busy counters. A counter is the item with a scope's spending. A busy counter is split into
 * several items (parts), so that writes conflict less. An outdated cache entry causes no wrong amounts: a closed part
 * rejects writes, and a limited counter with parts accepts no holds itself.
 */

import { BoundedMap } from '../platform/bounded-map.ts';
import { gatherCounter, spreadCounter } from '../store/counters/counter-parts.ts';
import { COUNTER_PARTS, partKey, type ScopeId } from '../store/counters/counters.ts';
import { readLimitedParts, type LimitedParts } from '../store/counters/limited-parts.ts';
import type { Table } from '../store/table/table.ts';
import type { Key } from '../store/table/writes.ts';

/**
 * Time in ms for which a counter is used as a single item after one of its parts has rejected a write. Parts reject
 * writes while they are merged, for example after a change of a limit. The merge usually takes less time than this.
 */
const REFUSED_MS = 3_000;
const MAX_COUNTERS = 10_000;

/**
 * Known parts of a counter. `grant` is the amount that a counter with limits moves from its limit to a part at a time;
 * absent for counters without limits.
 */
type KnownParts = Pick<LimitedParts, 'spread'> & Partial<LimitedParts>;

/** Known parts, by counter name. */
const spreads = new BoundedMap<string, KnownParts>(MAX_COUNTERS);
/**
 * Counters that are used as single items for a few seconds, by counter name. They could not get parts, or their parts
 * are closed or were merged.
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
 * Returns the key of a counter's part by its number; undefined if the settlement must use the counter itself.
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
 * Returns whether to split a busy counter into parts. It must have no known parts, and neither a split nor a part may
 * have failed in the last three seconds.
 */
export function mayGetParts(scope: ScopeId): boolean {
  const name = counterName(scope);
  return !spreads.has(name) && (refusals.get(name)?.untilMs ?? -Infinity) < performance.now();
}

/**
 * Splits a busy counter without limits into parts. A counter with limits is split only by holds; this function then
 * looks up its parts. If the parts that rejected a write more than three seconds ago still exist, this function merges
 * them, because the process that was merging them has probably died.
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

/** Stops the use of a counter's parts for a few seconds, usually because they are being merged. */
export function forgetParts(scope: ScopeId): void {
  const name = counterName(scope);
  refuse(name, spreads.get(name)?.spread);
}

function refuse(name: string, spread: string | undefined): void {
  spreads.delete(name);
  refusals.set(name, { spread, untilMs: performance.now() + REFUSED_MS });
}
