/**
 * Spent and held amounts of one scope.
 *
 * Each window (a day, week, month or the lifetime) has two numbers: `spent_<window>` (settled) and `committed_<window>`
 * (settled + held). They are equal if nothing is held. A hold is refused if committed + hold would exceed the limit.
 *
 * The amounts of a busy counter are divided among several items, its parts, and readers add them up. `spread` is the
 * name of the current parts, absent if there are none. In a scope with limits, the counter grants room to its parts,
 * and `grants` counts the grants.
 */

import { Money } from '../../money/money.ts';
import { DAY_MS, endOfNamedWindow, intervals, type Interval, type Windows } from '../../money/periods.ts';
import { uuidTimeMs, uuidv7 } from '../../platform/ids.ts';
import { isLimited, limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { readItem, readItems } from '../table/query.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item, type Table } from '../table/table.ts';
import { StoreBusyError, writeAlone } from '../table/transact.ts';
import { remove, update, type Change, type Key, type Write } from '../table/writes.ts';

export const ownerKinds = ['key', 'workspace', 'member', 'account'] as const;
/** The values of one tag, such as `project`, are scopes of the kind `tag:project`. */
export type ScopeKind = OwnerKind | TagKind;
export type OwnerKind = (typeof ownerKinds)[number];
export type TagKind = `tag:${string}`;

export interface ScopeId {
  kind: ScopeKind;
  id: string;
}

/** A scope with its limits, as they were read with the configuration of the key, workspace or other owner. */
export interface Scope extends ScopeId {
  limits: Limits;
  revision: number;
}

export interface Counter {
  active: boolean;
  revision: number;
  limits: Limits;
  spent: (window: string) => Money;
  committed: (window: string) => Money;
}

export interface StoredCounter extends Counter {
  /** Returns the stored windows. Windows without amounts are not stored, and old windows are removed. */
  windows: () => string[];
}

const COUNTER = 'COUNTER';

export function counterKey(scope: ScopeId): Key {
  return { pk: `COUNTER#${scope.kind}#${scope.id}`, sk: COUNTER };
}

/** Number of parts into which a busy counter is divided. */
export const COUNTER_PARTS = 64;

/** Prefix of the names of part sets in which each part has its own partition key. */
const PARTITIONED = 'p';

/** Returns a new name for a set of parts, which contains its time of creation. */
export function newSpread(): string {
  return PARTITIONED + uuidv7();
}

export function spreadTimeMs(spread: string): number {
  return uuidTimeMs(spread.startsWith(PARTITIONED) ? spread.slice(PARTITIONED.length) : spread);
}

/**
 * Returns the key of a part. Each part of a new set has its own partition key, because DynamoDB limits the writes to
 * one partition key to 1,000 units per second.
 */
export function partKey(scope: ScopeId, spread: string, part: number): Key {
  const [{ pk }, name] = [counterKey(scope), `#${spread}#${part}`];
  return { pk: spread.startsWith(PARTITIONED) ? pk + name : pk, sk: COUNTER + name };
}

export function partKeys(scope: ScopeId, spread: string): Key[] {
  return Array.from({ length: COUNTER_PARTS }, (_, part) => partKey(scope, spread, part));
}

export function spreadOf(item: Item | undefined): string | undefined {
  return item?.['spread'] as string | undefined;
}

/** Attribute that counts the grants to the counter's current parts. */
export const GRANTS = 'grants';
/** Attribute with the time at which a process began to merge a counter's parts. */
export const GATHERING_SINCE_MS = 'gathering_since_ms';

/** Returns whether a counter has parts to which it grants room. */
export function isGranted(item: Item): boolean {
  return item[GRANTS] !== undefined;
}

export function limitsOf(item: Item): Limits {
  return limitsFrom(item['limits']);
}

/** Returns the counter in an item. Adds the amounts in `parts`, the items of the counter's current parts. */
export function counterFrom(item: Item | undefined, parts: readonly Item[] = []): StoredCounter {
  const all = [item ?? {}, ...parts];
  const sum = (name: string) => Money.sum(all.map((one) => moneyFrom(one[name])));
  return {
    active: item?.['active'] !== false,
    revision: numberFrom(item?.['revision']),
    limits: limitsFrom(item?.['limits']),
    spent: (window) => sum(`spent_${window}`),
    committed: (window) => sum(`committed_${window}`),
    windows: () => [...new Set(all.flatMap(windowsIn))],
  };
}

export async function readCounter(table: Table, scope: ScopeId): Promise<StoredCounter> {
  return counterWithParts(table, scope, await readItem(table, counterKey(scope)));
}

/** Maximum number of reads of a counter whose parts keep changing. */
const MAX_LOOKS = 8;

/**
 * Returns a counter including the amounts of its parts.
 *
 * Guarantee: the result contains everything that was settled before the read, and each settlement at most once. A grant
 * moves committed money from a part to the counter, so if a grant was made during the read, everything is read again.
 * @throws {StoreBusyError} if parts are created, merged or get grants during every read, or if the table stays busy
 */
async function counterWithParts(table: Table, scope: ScopeId, read: Item | undefined): Promise<StoredCounter> {
  let item = read;
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const spread = spreadOf(item);
    if (spread === undefined) return counterFrom(item);
    const items = await readItems(table, [counterKey(scope), ...partKeys(scope, spread)]);
    const parts = items.filter(({ sk }) => sk !== COUNTER);
    const before = item;
    item = items.find(({ sk }) => sk === COUNTER);
    if (item && isGranted(item)) item = await readItem(table, counterKey(scope));
    // If parts are missing, they were merged and deleted after the counter was read.
    const isWhole = spreadOf(item) === spread && parts.length === COUNTER_PARTS;
    if (isWhole && numberFrom(item?.[GRANTS]) === numberFrom(before?.[GRANTS])) return counterFrom(item, parts);
    if (!isWhole && spreadOf(item) === spread) item = await readItem(table, counterKey(scope));
  }
  throw new StoreBusyError();
}

/**
 * Reads the counters of one kind, and returns a function that finds them by id. A scope without spending has an empty
 * counter.
 */
export async function readCounters(
  table: Table,
  kind: ScopeKind,
  ids: string[],
): Promise<(id: string) => StoredCounter> {
  const items = await readItems(
    table,
    ids.map((id) => counterKey({ kind, id })),
  );
  const byKey = new Map(items.map((item) => [item['pk'] as string, item]));
  const counters = new Map<string, StoredCounter>();
  // Reads the parts of only one counter at a time, because few counters have parts.
  for (const id of ids) {
    counters.set(id, await counterWithParts(table, { kind, id }, byKey.get(counterKey({ kind, id }).pk)));
  }
  return (id) => counters.get(id) ?? counterFrom(undefined);
}

/**
 * Returns the write that holds `amount` in every window of the scope. It fails unless the scope is active, its limits
 * are unchanged, and they have room. A limited counter with parts accepts no holds itself, because its remaining room
 * is reserved for grants to the parts.
 */
export function holdUpdate(table: Table, scope: Scope, windows: Windows, amount: Money): Write {
  const add: Item = {};
  const atMostIfPresent: Item = {};
  for (const interval of intervals) {
    const name = `committed_${windows[interval]}`;
    add[name] = moneyAttribute(amount);
    const limit = scope.limits[interval];
    if (limit) atMostIfPresent[name] = moneyAttribute(limit.minus(amount));
  }
  const absent = isLimited(scope.limits) ? ['spread'] : [];
  const when = { equal: { active: true, revision: scope.revision }, atMostIfPresent, absent };
  return update(table, counterKey(scope), { add, when });
}

/** Changes of one counter item, in units of 10⁻¹² RUB, by attribute name. */
export type CounterDeltas = Map<string, bigint>;

/**
 * Adds a change of the spent and committed amounts to `deltas`, the changes of a counter, in each window.
 * @param only.keptAtMs if set, windows that may already be removed at this time are skipped (see `isKept`)
 */
export function addDeltas(
  deltas: CounterDeltas,
  windows: Windows,
  change: { spent: Money; committed: Money },
  only: { keptAtMs?: number } = {},
): void {
  for (const interval of intervals) {
    if (only.keptAtMs !== undefined && !isKept(windows[interval], only.keptAtMs)) continue;
    add(deltas, `spent_${windows[interval]}`, change.spent);
    add(deltas, `committed_${windows[interval]}`, change.committed);
  }
}

function add(deltas: CounterDeltas, name: string, amount: Money): void {
  deltas.set(name, (deltas.get(name) ?? 0n) + amount.pico);
}

/** Returns whether an attribute changes. Opposite changes of an attribute cancel each other. */
export function hasChanges(deltas: CounterDeltas): boolean {
  return counterChanges(deltas).length > 0;
}

function counterChanges(deltas: CounterDeltas): [string, bigint][] {
  return [...deltas].filter(([, pico]) => pico !== 0n);
}

/**
 * Returns the write that applies changes to a counter. It creates the counter's item if it does not exist.
 * @param part key of the part to change instead of the counter; the write fails if the part is closed
 */
export function settleUpdate(table: Table, scope: ScopeId, deltas: CounterDeltas, part?: Key): Write {
  const add = Object.fromEntries(
    counterChanges(deltas).map(([name, pico]) => [name, moneyAttribute(Money.fromPico(pico))]),
  );
  if (part !== undefined) return update(table, part, { add, when: { equal: { open: true } } });
  return update(table, counterKey(scope), { set: scopeAttributes(scope), add });
}

/** Attribute that counts the corrections of a counter (`admin counters recompute`), so that none is made twice. */
const CORRECTIONS = 'corrections';

export async function readCorrections(table: Table, scope: ScopeId): Promise<number> {
  return numberFrom((await readItem(table, counterKey(scope)))?.[CORRECTIONS]);
}

/**
 * Returns the write that adds the differences found by a comparison to a counter. Concurrent spending does not make
 * these differences wrong, because each settlement changes records and counters by the same amount.
 * @param corrections number of corrections before the comparison; the write fails if another correction was made since
 */
export function correctionUpdate(table: Table, scope: ScopeId, deltas: CounterDeltas, corrections: number): Write {
  const add = Object.fromEntries(
    counterChanges(deltas).map(([name, pico]) => [name, moneyAttribute(Money.fromPico(pico))]),
  );
  const when = corrections === 0 ? { absent: [CORRECTIONS] } : { equal: { [CORRECTIONS]: corrections } };
  return update(table, counterKey(scope), { add: { ...add, [CORRECTIONS]: 1 }, when });
}

/** Parts that accept no more changes: their name, and the sums of their amounts. */
export interface ClosedParts {
  spread: string;
  amounts: Item;
}

/**
 * Copies a change of limits to the counter, in the transaction that changes the configuration.
 *
 * Guarantee: limits do not change while parts have room that was granted for the old limits. The write fails if such
 * parts exist, unless it merges them.
 * @param parts closed parts to merge into the counter, which then has no parts
 */
export function configureUpdate(
  table: Table,
  scope: ScopeId,
  change: { limits: Limits; revision: number; active?: boolean },
  parts?: ClosedParts,
): Write {
  const { limits, revision, active } = change;
  const set = { ...scopeAttributes(scope), limits: limitsAttribute(limits), revision, active };
  const withoutParts = { when: { absent: [isLimited(limits) ? 'spread' : GRANTS] } };
  return update(table, counterKey(scope), { set, ...(parts ? mergedParts(parts) : withoutParts) });
}

export function mergedParts({ spread, amounts }: ClosedParts): Change {
  return { add: amounts, remove: ['spread', GRANTS, GATHERING_SINCE_MS], when: { equal: { spread } } };
}

/**
 * Returns the write that lowers a lifetime limit. It fails if the spent and held money exceeds the new limit, or if the
 * counter has parts. The limit must not be negative.
 */
export function lowerLifetimeUpdate(table: Table, scope: ScopeId, change: { limit: Money; revision: number }): Write {
  const { limit, revision } = change;
  const set = { ...scopeAttributes(scope), limits: limitsAttribute({ lifetime: limit }), revision };
  const when = { atMostIfPresent: { committed_lifetime: moneyAttribute(limit) }, absent: ['spread'] };
  return update(table, counterKey(scope), { set, when });
}

export function scopeAttributes({ kind, id }: ScopeId): Item {
  return { scope_kind: kind, scope_id: id };
}

/**
 * Returns the write that activates or deactivates a scope. An inactive scope accepts no new holds. Deactivation fails
 * if the counter has parts with grants, because holds in these parts do not read the counter.
 */
export function activeUpdate(table: Table, scope: ScopeId, active: boolean): Write {
  return update(table, counterKey(scope), { set: { active }, when: active ? {} : { absent: [GRANTS] } });
}

export function counterRemoval(table: Table, scope: ScopeId): Write {
  return remove(table, counterKey(scope));
}

const WINDOW_ATTRIBUTE = /^(spent|committed)_(.+)$/;
/** Time in ms for which a window is kept after its end. */
const KEEP_AFTER_END_MS = 2 * DAY_MS;

/**
 * Removes old windows that hold nothing. A window that changes during the removal stays, and so do windows of a counter
 * with parts.
 * @returns number of windows that were to be removed
 */
export async function pruneCounter(table: Table, scope: ScopeId, atMs: number): Promise<number> {
  const item = (await readItem(table, counterKey(scope))) ?? {};
  if (spreadOf(item) !== undefined) return 0;
  const stale = windowsIn(item).filter((window) => !isKept(window, atMs) && sameAmount(item, window));
  for (const window of stale) await removeWindow(table, scope, window, item);
  return stale.length;
}

export function windowsIn(item: Item): string[] {
  return [...new Set(Object.keys(item).flatMap((name) => WINDOW_ATTRIBUTE.exec(name)?.[2] ?? []))];
}

/** Returns whether a window is kept at a time. */
export function isKept(window: string, atMs: number): boolean {
  const end = endOfNamedWindow(window);
  return end === null || end + KEEP_AFTER_END_MS >= atMs;
}

function sameAmount(item: Item, window: string): boolean {
  return moneyFrom(item[`spent_${window}`]).equals(moneyFrom(item[`committed_${window}`]));
}

async function removeWindow(table: Table, scope: ScopeId, window: string, read: Item): Promise<void> {
  const names = [`spent_${window}`, `committed_${window}`];
  const present = names.filter((name) => read[name] !== undefined);
  const when = {
    equal: Object.fromEntries(present.map((name) => [name, moneyAttribute(moneyFrom(read[name]))])),
    // `spent_…` or `committed_…` may be absent, because changes of zero are not written. It must still be absent.
    absent: [...names.filter((name) => !present.includes(name)), 'spread'],
  };
  await writeAlone(table, update(table, counterKey(scope), { remove: names, when }));
}

/** Returns the room of the tightest limit; undefined without limits. */
export function remaining(counter: Counter, windows: Windows): Money | undefined {
  if (!isLimited(counter.limits)) return undefined;
  const rooms = intervals.flatMap((interval) => {
    const limit = counter.limits[interval];
    return limit ? [limit.minus(counter.committed(windows[interval]))] : [];
  });
  const [first, ...rest] = rooms;
  return Money.max(Money.zero, Money.min(first!, ...rest));
}

/** Returns the longest interval whose limit has no room for `amount`. A limit of 0 has no room even for 0. */
export function refusingInterval(counter: Counter, windows: Windows, amount: Money): Interval | undefined {
  return intervals.findLast((interval) => !hasRoomIn(interval, counter, windows, amount));
}

export function hasRoomIn(interval: Interval, counter: Counter, windows: Windows, amount: Money): boolean {
  const limit = counter.limits[interval];
  if (!limit) return true;
  return !limit.isZero && !counter.committed(windows[interval]).plus(amount).exceeds(limit);
}
