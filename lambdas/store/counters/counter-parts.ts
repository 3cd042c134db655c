/**
 * Parts of a counter. A counter is one item, and DynamoDB lets one transaction at a time change it: where many settlements add to it at
 * once, they refuse each other. What is counted in a scope without limits decides about nothing, so there each settlement adds to one of
 * many parts instead. A limit needs all of it in one item again: the parts are closed, and the transaction that sets the limit takes them in.
 *
 * Guarantee: a counter and the parts that it names are what was settled, at every moment and wherever a process dies. Parts are made in
 * the transaction that names them, and only an open part takes anything. A closed one stays as it is, so that what all of them have can be
 * read, and added to the counter in the transaction that no longer names them. Whoever still believes in them is refused, whenever that is.
 */

import { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { uuidTimeMs, uuidv7 } from '../../platform/ids.ts';
import {
  configureUpdate,
  counterKey,
  isGranted,
  limitsOf,
  partKeys,
  spreadOf,
  takingIn,
  windowNames,
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

/** How often something is read anew that was changed meanwhile. */
const MAX_ROUNDS = 5;
/** Taking parts in competes with all that was refused by them: about five seconds of attempts. */
const ATTEMPTS = 30;
/** Parts that were taken in are read by nobody any more; DynamoDB deletes them by then. */
const TAKEN_IN_KEPT_MS = DAY_MS;

/**
 * Gives a counter without limits its parts; it keeps those that it has.
 * @returns the name of its parts, which may be closed; undefined for a scope with limits, one that is being changed, and where parts
 * are not allowed
 */
export async function spreadCounter(table: Table, scope: ScopeId): Promise<string | undefined> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const item = (await readItem(table, counterKey(scope))) ?? {};
    if (isLimited(limitsOf(item))) return undefined;
    const known = spreadOf(item);
    if (known !== undefined) return known;
    if (!(await arePartsAllowed(table))) return undefined;
    const spread = uuidv7();
    // Whoever sets a limit changes the revision.
    const { revision } = item;
    const when =
      revision === undefined
        ? { absent: ['spread', 'revision'] }
        : { absent: ['spread'], equal: { revision: numberFrom(revision) } };
    const outcome = await transact(table, {
      counter: update(table, counterKey(scope), { set: { ...windowNames(scope), spread }, when }),
      ...forEach(partKeys(scope, spread), (key) => putNew(table, { ...key, ...windowNames(scope), open: true })),
    });
    if (outcome.committed) return spread;
  }
  return undefined;
}

/**
 * The writes that change limits at a counter, for the transaction that changes the configuration. Parts of a counter that has limits, or
 * gets some, are closed before, and taken in by it. Where the transaction is not carried out they stay closed, and are part of the sum as before.
 * @throws {StoreBusyError}
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
 * Closes the parts of a counter, and takes them in. Whoever died at it is followed by the next who tries.
 * @returns whether there were any
 * @throws {StoreBusyError}
 */
export async function gatherCounter(table: Table, scope: ScopeId): Promise<boolean> {
  const parts = await closeParts(table, scope);
  if (!parts) return false;
  const counter = update(table, counterKey(scope), takingIn(parts));
  // Where the condition fails another has taken them in, or this one did, and its reply was lost.
  await transact(table, { counter, ...expiryWrites(table, scope, parts) }, { attempts: ATTEMPTS });
  return true;
}

/**
 * Whether the parts of a counter should be taken in: they were made before a time, or its scope was limited by a release that knows no
 * parts.
 */
export async function hasOldParts(table: Table, scope: ScopeId, beforeMs: number): Promise<boolean> {
  const item = (await readItem(table, counterKey(scope))) ?? {};
  const spread = spreadOf(item);
  if (spread === undefined) return false;
  return uuidTimeMs(spread) < beforeMs || (isLimited(limitsOf(item)) && !isGranted(item));
}

/**
 * @param which.ofAnyKind also those to which no room is granted
 * @returns what the parts come to from now on; undefined where there are none
 */
async function closeParts(table: Table, scope: ScopeId, which = { ofAnyKind: true }): Promise<ClosedParts | undefined> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const item = (await readItem(table, counterKey(scope))) ?? {};
    const spread = spreadOf(item);
    if (spread === undefined || !(which.ofAnyKind || isGranted(item))) return undefined;
    const parts = await Promise.all(partKeys(scope, spread).map((key) => closePart(table, scope, key)));
    // A part that is gone was taken in since the counter was read.
    if (parts.every((part) => part !== undefined)) return { spread, amounts: sumsOf(parts) };
  }
  throw new StoreBusyError();
}

/** @returns what the part has from now on; undefined where it was deleted */
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
  const set = { [TTL_ATTRIBUTE]: Math.ceil((nowMs() + TAKEN_IN_KEPT_MS) / 1_000) };
  return forEach(partKeys(scope, parts.spread), (key) => update(table, key, { set }));
}

/** A write for each part, by its number. */
function forEach(keys: readonly Key[], write: (key: Key) => Write): Writes {
  return Object.fromEntries(keys.map((key, part) => [`part ${part}`, write(key)]));
}
