/**
 * The spent and held amounts of one scope. A counter item is separate from the scope's configuration, so that requests
 * in flight never conflict with an edit of a name.
 *
 * Each window has two Numbers: `spent_<window>` (settled) and `committed_<window>` (settled + held). If nothing is in
 * flight they are equal. A hold is refused if committed + hold would exceed the limit.
 *
 * A busy counter has parts, which readers add up. The counter's `spread` names them; without it, the counter has none.
 * In a scope without limits the amounts decide nothing, so any part accepts any change (counter-parts.ts). The parts of
 * a counter with limits are granted room; `grants` counts these grants (limited-parts.ts).
 */

import { Money } from '../../money/money.ts';
import { DAY_MS, endOfNamedWindow, intervals, type Interval, type Windows } from '../../money/periods.ts';
import { isLimited, limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { readItem, readItems } from '../table/query.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item, type Table } from '../table/table.ts';
import { StoreBusyError, writeAlone } from '../table/transact.ts';
import { remove, update, type Change, type Key, type Write } from '../table/writes.ts';

export const scopeKinds = ['key', 'workspace', 'member', 'account'] as const;
export type ScopeKind = (typeof scopeKinds)[number];

export interface ScopeId {
  kind: ScopeKind;
  id: string;
}

/** A scope with the limits that were read with its configuration, and the revision of those limits. */
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

/** A counter as stored. */
export interface StoredCounter extends Counter {
  /** Names of the stored windows. If a window is missing, it was removed, or nothing was spent in it. */
  windows: () => string[];
}

const COUNTER = 'COUNTER';

export function counterKey(scope: ScopeId): Key {
  return { pk: `COUNTER#${scope.kind}#${scope.id}`, sk: COUNTER };
}

/**
 * Number of parts, if a counter has any. With more parts, settlements conflict less often, but each is another item to
 * read.
 */
export const COUNTER_PARTS = 64;

/** @param spread name of the set of parts */
export function partKey(scope: ScopeId, spread: string, part: number): Key {
  return { pk: counterKey(scope).pk, sk: `${COUNTER}#${spread}#${part}` };
}

export function partKeys(scope: ScopeId, spread: string): Key[] {
  return Array.from({ length: COUNTER_PARTS }, (_, part) => partKey(scope, spread, part));
}

/** The name of a counter's set of parts; undefined without parts. */
export function spreadOf(item: Item | undefined): string | undefined {
  return item?.['spread'] as string | undefined;
}

/** Counts the grants of room to the current parts of a counter. */
export const GRANTS = 'grants';
/** When a process began to merge the parts of a counter, so that others do not try as well. */
export const GATHERING_SINCE_MS = 'gathering_since_ms';

/** Whether the parts of a counter are granted room, because it has limits. */
export function isGranted(item: Item): boolean {
  return item[GRANTS] !== undefined;
}

export function limitsOf(item: Item): Limits {
  return limitsFrom(item['limits']);
}

/** @param parts the parts that the item's `spread` names */
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

/** Maximum reads of a counter whose parts keep changing. */
const MAX_LOOKS = 8;

/**
 * Adds the parts of a counter to it.
 *
 * Guarantee: the result contains everything that was settled before the read, and each settlement at most once. The
 * counter is read together with its parts. The parts that it names were right at that moment; amounts moved into it by
 * then are in parts that it no longer names. A grant moves committed money from a part to the counter, so everything is
 * read again if one was made during the read.
 * @throws {StoreBusyError} if parts are created or granted room all the time
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
    // Missing parts were merged and deleted after the counter was read.
    const isWhole = spreadOf(item) === spread && parts.length === COUNTER_PARTS;
    if (isWhole && numberFrom(item?.[GRANTS]) === numberFrom(before?.[GRANTS])) return counterFrom(item, parts);
    if (!isWhole && spreadOf(item) === spread) item = await readItem(table, counterKey(scope));
  }
  throw new StoreBusyError();
}

/** Counters of many scopes of one kind, by id. A scope without spending has an empty counter. */
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
  // One after another: few of them have parts.
  for (const id of ids) {
    counters.set(id, await counterWithParts(table, { kind, id }, byKey.get(counterKey({ kind, id }).pk)));
  }
  return (id) => counters.get(id) ?? counterFrom(undefined);
}

/**
 * Promises `amount` in every window of the scope, if the scope is active, its limits are unchanged, and there is room.
 * A counter with parts promises nothing itself: its remaining room is for grants.
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

/** Changes of one counter item by attribute name, added up by a settlement before it writes. */
export type CounterDeltas = Map<string, bigint>;

/** @param only.keptAtMs skips windows that may have been removed at that time */
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

/** Whether the sum of the changes leaves anything to write. */
export function hasChanges(deltas: CounterDeltas): boolean {
  return counterChanges(deltas).length > 0;
}

function counterChanges(deltas: CounterDeltas): [string, bigint][] {
  return [...deltas].filter(([, pico]) => pico !== 0n);
}

/**
 * Applies the changes, and creates the item if it does not exist.
 * @param part the part of the counter that takes them; it must be open
 */
export function settleUpdate(table: Table, scope: ScopeId, deltas: CounterDeltas, part?: Key): Write {
  const add = Object.fromEntries(
    counterChanges(deltas).map(([name, pico]) => [name, moneyAttribute(Money.fromPico(pico))]),
  );
  if (part !== undefined) return update(table, part, { add, when: { equal: { open: true } } });
  return update(table, counterKey(scope), { set: windowNames(scope), add });
}

/** Number of corrections of a counter (`admin counters recompute`), so that each one is made once. */
const CORRECTIONS = 'corrections';

export async function readCorrections(table: Table, scope: ScopeId): Promise<number> {
  return numberFrom((await readItem(table, counterKey(scope)))?.[CORRECTIONS]);
}

/**
 * Adds differences to a counter. They stay right during concurrent spending, because each settlement changes records
 * and counters alike.
 * @param corrections the number read before the differences were measured; the write fails after another correction
 */
export function correctionUpdate(table: Table, scope: ScopeId, deltas: CounterDeltas, corrections: number): Write {
  const add = Object.fromEntries(
    counterChanges(deltas).map(([name, pico]) => [name, moneyAttribute(Money.fromPico(pico))]),
  );
  const when = corrections === 0 ? { absent: [CORRECTIONS] } : { equal: { [CORRECTIONS]: corrections } };
  return update(table, counterKey(scope), { add: { ...add, [CORRECTIONS]: 1 }, when });
}

/** The sums of a counter's closed parts. */
export interface ClosedParts {
  spread: string;
  /** Sums by the names of their attributes. */
  amounts: Item;
}

/**
 * Copies a change of limits to the counter, in the transaction that changes the configuration. Counted amounts stay. A
 * new scope is also activated.
 *
 * Guarantee: the current limits of a counter are those under which its parts were granted room, or it has no limits.
 * The write fails if the counter has parts that it does not merge.
 * @param parts merged into the counter, which then has none
 */
export function configureUpdate(
  table: Table,
  scope: ScopeId,
  change: { limits: Limits; revision: number; active?: boolean },
  parts?: ClosedParts,
): Write {
  const { limits, revision, active } = change;
  const set = { ...windowNames(scope), limits: limitsAttribute(limits), revision, active };
  const withoutParts = { when: { absent: [isLimited(limits) ? 'spread' : GRANTS] } };
  return update(table, counterKey(scope), { set, ...(parts ? takingIn(parts) : withoutParts) });
}

/** The change of a counter that merges its parts. */
export function takingIn({ spread, amounts }: ClosedParts): Change {
  return { add: amounts, remove: ['spread', GRANTS, GATHERING_SINCE_MS], when: { equal: { spread } } };
}

/**
 * Lowers a lifetime limit, if all spent and held money stays within it, and the counter has no parts. The limit must
 * not be negative.
 */
export function lowerLifetimeUpdate(table: Table, scope: ScopeId, change: { limit: Money; revision: number }): Write {
  const { limit, revision } = change;
  const set = { ...windowNames(scope), limits: limitsAttribute({ lifetime: limit }), revision };
  const when = { atMostIfPresent: { committed_lifetime: moneyAttribute(limit) }, absent: ['spread'] };
  return update(table, counterKey(scope), { set, when });
}

export function windowNames({ kind, id }: ScopeId): Item {
  return { scope_kind: kind, scope_id: id };
}

/**
 * Activates or deactivates a scope at its counter, so that its next hold notices. Deactivation fails if parts have
 * granted room: holds in them do not read the counter.
 */
export function activeUpdate(table: Table, scope: ScopeId, active: boolean): Write {
  return update(table, counterKey(scope), { set: { active }, when: active ? {} : { absent: [GRANTS] } });
}

export function counterRemoval(table: Table, scope: ScopeId): Write {
  return remove(table, counterKey(scope));
}

const WINDOW_ATTRIBUTE = /^(spent|committed)_(.+)$/;
/** Windows stay this long after their end, for late settlements. */
const KEEP_AFTER_END_MS = 2 * DAY_MS;

/**
 * Removes windows that ended two days ago and hold nothing. Best effort: a window that changes during the removal
 * stays. Windows of a counter with parts stay as well: if only some parts lost a window, the sum would be too low.
 * @returns number of removed windows.
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

/** Whether a window of a counter is not yet removed. */
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
    // Changes of zero are not written, so one of the two may not exist.
    absent: [...names.filter((name) => !present.includes(name)), 'spread'],
  };
  await writeAlone(table, update(table, counterKey(scope), { remove: names, when }));
}

/** The remaining room of a scope's tightest limit, after holds. Undefined if the scope has no limit. */
export function remaining(counter: Counter, windows: Windows): Money | undefined {
  if (!isLimited(counter.limits)) return undefined;
  const rooms = intervals.flatMap((interval) => {
    const limit = counter.limits[interval];
    return limit ? [limit.minus(counter.committed(windows[interval]))] : [];
  });
  const [first, ...rest] = rooms;
  return Money.max(Money.zero, Money.min(first!, ...rest));
}

/** The longest interval whose limit has no room for `amount`. A limit of 0 has no room for anything. */
export function refusingInterval(counter: Counter, windows: Windows, amount: Money): Interval | undefined {
  return intervals.findLast((interval) => !hasRoomIn(interval, counter, windows, amount));
}

/** Whether the limit of an interval has room for `amount`. */
export function hasRoomIn(interval: Interval, counter: Counter, windows: Windows, amount: Money): boolean {
  const limit = counter.limits[interval];
  if (!limit) return true;
  return !limit.isZero && !counter.committed(windows[interval]).plus(amount).exceeds(limit);
}
