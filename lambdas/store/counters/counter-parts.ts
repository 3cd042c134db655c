/**
 * Parts of a counter. Concurrent transactions on one item conflict, so settlements of a busy counter without limits add
 * to one of many parts (items). The transaction that sets a limit merges the closed parts into the counter.
 *
 * Guarantee: at every moment, and wherever a process dies, a counter and its current parts sum to the settled amount.
 * The counter item names its current parts, and the transaction that sets this name also creates the parts. Only an
 * open part accepts amounts; the amounts of a closed part never change. Once all parts are closed, their sum can
 * therefore be read, and then added to the counter in the transaction that removes their name. A write to parts that no
 * longer exist always fails.
 */

import { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import {
  configureUpdate,
  counterKey,
  isGranted,
  limitsOf,
  newSpread,
  partKeys,
  spreadOf,
  spreadTimeMs,
  mergedParts,
  scopeAttributes,
  windowsIn,
  type ClosedParts,
  type ScopeId,
} from './counters.ts';
import { isLimited, type Limits } from './limits.ts';
import { readItem } from '../table/query.ts';
import { arePartsAllowed } from './parts-allowance.ts';
import { moneyAttribute, moneyFrom, numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { StoreBusyError, transact, writeAlone, type Writes } from '../table/transact.ts';
import { putNew, update, type Key, type Write } from '../table/writes.ts';

/** Maximum number of attempts. An attempt fails if the counter changes between its read and its write. */
const MAX_ROUNDS = 5;
/** Maximum number of attempts to merge parts. It is high, because merges conflict with settlements. */
const ATTEMPTS = 30;
/** Time in ms between the merge of parts and their deletion by DynamoDB. */
const MERGED_PARTS_KEPT_MS = DAY_MS;

/**
 * Creates the parts of a counter without limits, or keeps existing parts.
 * @returns the name of the parts, which may be closed; undefined if the scope has limits or is being changed, or if
 *   parts are not allowed
 */
export async function spreadCounter(table: Table, scope: ScopeId): Promise<string | undefined> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const item = (await readItem(table, counterKey(scope))) ?? {};
    if (isLimited(limitsOf(item))) return undefined;
    const known = spreadOf(item);
    if (known !== undefined) return known;
    if (!(await arePartsAllowed(table))) return undefined;
    const spread = newSpread();
    // The condition compares the revision, because every change of limits changes it.
    const { revision } = item;
    const when =
      revision === undefined
        ? { absent: ['spread', 'revision'] }
        : { absent: ['spread'], equal: { revision: numberFrom(revision) } };
    const outcome = await transact(table, {
      counter: update(table, counterKey(scope), { set: { ...scopeAttributes(scope), spread }, when }),
      ...forEach(partKeys(scope, spread), (key) => putNew(table, { ...key, ...scopeAttributes(scope), open: true })),
    });
    if (outcome.committed) return spread;
  }
  return undefined;
}

/**
 * Returns the writes to a counter for the transaction that changes the limits in the configuration. If the counter gets
 * limits, or grants room to its parts, the parts are closed first, and the transaction merges them. If the transaction
 * fails, the parts stay closed, and their amounts still belong to the counter.
 * @throws {StoreBusyError} if the parts keep changing, or the table stays busy
 */
export async function limitWrites(
  table: Table,
  scope: ScopeId,
  change: { limits: Limits; revision: number; active?: boolean },
): Promise<Writes & { counter: Write }> {
  const parts = await closeParts(table, scope, { ofAnyKind: isLimited(change.limits) });
  return { ...expiryWrites(table, scope, parts), counter: configureUpdate(table, scope, change, parts) };
}

/**
 * Closes the parts of a counter and merges them. Returns whether it had parts.
 * @throws {StoreBusyError} if the parts keep changing, or the table stays busy
 */
export async function gatherCounter(table: Table, scope: ScopeId): Promise<boolean> {
  const parts = await closeParts(table, scope);
  if (!parts) return false;
  const counter = update(table, counterKey(scope), mergedParts(parts));
  // A failed condition means that the parts were already merged.
  await transact(table, { counter, ...expiryWrites(table, scope, parts) }, { attempts: ATTEMPTS });
  return true;
}

/**
 * Returns whether the parts of a counter were created before `beforeMs`, or a release without support for parts has set
 * a limit.
 */
export async function hasOldParts(table: Table, scope: ScopeId, beforeMs: number): Promise<boolean> {
  const item = (await readItem(table, counterKey(scope))) ?? {};
  const spread = spreadOf(item);
  if (spread === undefined) return false;
  return spreadTimeMs(spread) < beforeMs || (isLimited(limitsOf(item)) && !isGranted(item));
}

/**
 * Closes the parts of a counter.
 * @param which.ofAnyKind whether to also close the parts of a counter without limits
 * @returns the final sums of the parts; undefined if the counter has no parts to close
 * @throws {StoreBusyError} if the parts keep changing, or the table stays busy
 */
async function closeParts(table: Table, scope: ScopeId, which = { ofAnyKind: true }): Promise<ClosedParts | undefined> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const item = (await readItem(table, counterKey(scope))) ?? {};
    const spread = spreadOf(item);
    if (spread === undefined || !(which.ofAnyKind || isGranted(item))) return undefined;
    const parts = await Promise.all(partKeys(scope, spread).map((key) => closePart(table, scope, key)));
    // A missing part means that the parts were merged after the counter was read.
    if (parts.every((part) => part !== undefined)) return { spread, amounts: sumsOf(parts) };
  }
  throw new StoreBusyError();
}

/** Closes a part. Returns its final amounts; undefined if the part was deleted. */
async function closePart(table: Table, { id }: ScopeId, key: Key): Promise<Item | undefined> {
  const isGone = await writeAlone(table, update(table, key, { remove: ['open'], when: { equal: { scope_id: id } } }));
  return isGone ? undefined : readItem(table, key);
}

function sumsOf(parts: readonly Item[]): Item {
  const names = parts
    .flatMap(windowsIn)
    .flatMap((window) => [`spent_${window}`, `committed_${window}`])
    .filter((name) => parts.some((part) => part[name] !== undefined));
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, moneyAttribute(Money.sum(parts.map((part) => moneyFrom(part[name]))))]),
  );
}

function expiryWrites(table: Table, scope: ScopeId, parts: ClosedParts | undefined): Writes {
  if (!parts) return {};
  const set = { [TTL_ATTRIBUTE]: Math.ceil((nowMs() + MERGED_PARTS_KEPT_MS) / 1_000) };
  return forEach(partKeys(scope, parts.spread), (key) => update(table, key, { set }));
}

function forEach(keys: readonly Key[], write: (key: Key) => Write): Writes {
  return Object.fromEntries(keys.map((key, part) => [`part ${part}`, write(key)]));
}
