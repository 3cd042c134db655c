/**
 * Cache of the parts of busy counters. A counter is the item with a scope's spending; parts make writes conflict less.
 * An outdated cache entry causes no wrong amounts: a closed part rejects writes, and a limited counter with parts
 * accepts no holds itself.
 */

import { BoundedMap } from '../platform/bounded-map.ts';
import { gatherCounter, spreadCounter } from '../store/counters/counter-parts.ts';
import { COUNTER_PARTS, partKey, type ScopeId } from '../store/counters/counters.ts';
import { readLimitedParts, type LimitedParts } from '../store/counters/limited-parts.ts';
import type { Table } from '../store/table/table.ts';
import type { Key } from '../store/table/writes.ts';

/**
 * Time in ms for which a counter is used as a single item after one of its parts has rejected a write. A merge of parts
 * usually takes less.
 */
const REFUSED_MS = 3_000;
const MAX_COUNTERS = 10_000;

/** `grant` is the amount that a limited counter moves to a part at a time; absent without limits. */
type KnownParts = Pick<LimitedParts, 'spread'> & Partial<LimitedParts>;

const spreads = new BoundedMap<string, KnownParts>(MAX_COUNTERS);
/** Counters that are used as single items for a few seconds, by counter name. */
const refusals = new BoundedMap<string, { spread: string | undefined; untilMs: number }>(MAX_COUNTERS);

export function counterName({ kind, id }: ScopeId): string {
  return `${kind}#${id}`;
}

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

export function limitedPartsOf(scope: ScopeId): LimitedParts | undefined {
  const { spread, grant } = spreads.get(counterName(scope)) ?? {};
  return spread === undefined || grant === undefined ? undefined : { spread, grant };
}

/** Returns whether to split a busy counter into parts. It must have no known parts, and no recent refusal. */
export function mayGetParts(scope: ScopeId): boolean {
  const name = counterName(scope);
  return !spreads.has(name) && (refusals.get(name)?.untilMs ?? -Infinity) < performance.now();
}

/**
 * Splits a busy counter without limits into parts. For a counter with limits, which only holds split, looks up the
 * parts. If the parts that rejected a write still exist, merges them, because the process that was merging them has
 * probably died.
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

export function rememberLimitedParts(scope: ScopeId, parts: LimitedParts): void {
  spreads.set(counterName(scope), parts);
}

/** Stops the use of a counter's parts for a few seconds. */
export function forgetParts(scope: ScopeId): void {
  const name = counterName(scope);
  refuse(name, spreads.get(name)?.spread);
}

function refuse(name: string, spread: string | undefined): void {
  spreads.delete(name);
  refusals.set(name, { spread, untilMs: performance.now() + REFUSED_MS });
}
