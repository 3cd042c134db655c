/**
 * Parts of a counter with limits. One item accepts only tens of holds per second, so a busy counter grants room to its
 * parts. A grant is added to the counter's committed amount, if the limit has room for it, and subtracted from the
 * part's committed amount. The limit of a part is zero, so a part has room while its committed amount is negative. A
 * hold is added to one part, which may get a grant in the same transaction. A settlement may return money to any part.
 *
 * Guarantee: holds never raise the spent and held money of a scope above its limit, at any concurrency and wherever a
 * process dies. After each grant, `committed <= limit` is true at the counter; after each hold, `committed <= 0` is
 * true in each part. Settlements of held money only lower these amounts. The sum of the counter and its parts, which is
 * the true committed amount, is therefore at most the limit. A grant does not change the sum. If the counter has no
 * room left, its parts are merged (counter-parts.ts), so a hold is refused only if a single item would refuse it too.
 * Weakness: two amounts are added to the counter itself and may exceed the limit, as they may without parts. They are a
 * correction above its hold, and the cost of a request that began before the scope's first limit.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../../money/money.ts';
import { intervals, windowsAt, type Interval, type Windows } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { gatherCounter } from './counter-parts.ts';
import {
  counterKey,
  COUNTER_PARTS,
  GATHERING_SINCE_MS,
  GRANTS,
  isGranted,
  limitsOf,
  newSpread,
  partKeys,
  spreadOf,
  scopeAttributes,
  type Scope,
  type ScopeId,
} from './counters.ts';
import { isLimited, type Limits } from './limits.ts';
import { arePartsAllowed } from './parts-allowance.ts';
import { readItem } from '../table/query.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item, type Table } from '../table/table.ts';
import { StoreBusyError, transact, writeAlone, type Writes } from '../table/transact.ts';
import { putNew, update, type Key, type Write } from '../table/writes.ts';

/** An amount held in all windows that contain the time of the request. */
export interface ScopeHold {
  windows: Windows;
  amount: Money;
}

/** `spread` is the name of the parts, `grant` the amount of each grant. */
export interface LimitedParts {
  spread: string;
  grant: Money;
}

/** Divisor of the counter's room for one grant. The first grants to all parts take half of the room. */
const GRANTED_SHARE = BigInt(2 * COUNTER_PARTS);
/** Minimum number of holds that one grant must cover. */
const MIN_HOLDS_PER_GRANT = 4n;

/** Returns the usual amount of one grant. */
export function grantOf(room: Money): Money {
  return Money.fromPico(room.pico / GRANTED_SHARE);
}

/**
 * Returns limit minus committed amount at the counter, in the window with the least room. Negative if the counter
 * exceeds a limit.
 */
export function roomAt(item: Item, windows: Windows): Money {
  const limits = limitsOf(item);
  const rooms = limitedIntervals(limits).map((interval) =>
    limits[interval]!.minus(moneyFrom(item[committedIn(interval, windows)])),
  );
  const [first = Money.zero, ...rest] = rooms;
  return Money.min(first, ...rest);
}

/** Returns the parts of a counter; undefined without parts, or if the scope had no limits when they were created. */
export function limitedPartsFrom(item: Item, windows: Windows): LimitedParts | undefined {
  const spread = spreadOf(item);
  if (spread === undefined || !isGranted(item)) return undefined;
  return { spread, grant: grantOf(Money.max(Money.zero, roomAt(item, windows))) };
}

export async function readLimitedParts(table: Table, scope: ScopeId): Promise<LimitedParts | undefined> {
  const item = await readItem(table, counterKey(scope));
  return item && limitedPartsFrom(item, windowsAt(nowMs()));
}

/**
 * Creates the parts of a limited counter, with a first grant for each, if a grant covers several holds of this size.
 * @returns the new or existing parts; undefined if there are none, or if a concurrent change prevented their creation
 */
export async function grantParts(
  table: Table,
  scope: ScopeId,
  { windows, amount }: ScopeHold,
): Promise<LimitedParts | undefined> {
  const item = (await readItem(table, counterKey(scope))) ?? {};
  const limits = limitsOf(item);
  if (!isLimited(limits) || item['active'] !== true) return undefined;
  if (spreadOf(item) !== undefined) return limitedPartsFrom(item, windows);
  const grant = grantOf(roomAt(item, windows));
  if (Money.fromPico(amount.pico * MIN_HOLDS_PER_GRANT).exceeds(grant) || grant.isZero) return undefined;
  if (!(await arePartsAllowed(table))) return undefined;
  const spread = newSpread();
  const revision = numberFrom(item['revision']);
  const all = grant.times(COUNTER_PARTS);
  const granted = inWindows(limits, windows, () => grant.negated());
  const writes: Writes = {
    counter: update(table, counterKey(scope), {
      set: { ...scopeAttributes(scope), spread },
      add: { ...inWindows(limits, windows, () => all), [GRANTS]: 1 },
      when: {
        equal: { active: true, revision },
        absent: ['spread'],
        atMostIfPresent: inWindows(limits, windows, (limit) => limit.minus(all)),
      },
    }),
  };
  for (const [part, key] of partKeys(scope, spread).entries()) {
    writes[`part ${part}`] = putNew(table, { ...key, ...scopeAttributes(scope), open: true, revision, ...granted });
  }
  const outcome = await transact(table, writes);
  return outcome.committed ? { spread, grant } : undefined;
}

/** Returns the write that adds a hold to a part. It fails if the part is closed or has no room. */
export function partHold(
  table: Table,
  key: Key,
  { limits, revision }: Pick<Scope, 'limits' | 'revision'>,
  { windows, amount }: ScopeHold,
): Write {
  return update(table, key, {
    add: Object.fromEntries(intervals.map((interval) => [committedIn(interval, windows), moneyAttribute(amount)])),
    when: { equal: { open: true, revision }, atMost: inWindows(limits, windows, () => amount.negated()) },
  });
}

/**
 * Adds a hold to a part, and grants room to the part in the same transaction.
 * @param grant at least the amount of the hold
 */
export function grantedHold(
  table: Table,
  { scope, spread, key }: { scope: Scope; spread: string; key: Key },
  { windows, amount, grant }: ScopeHold & { grant: Money },
): { counter: Write; part: Write } {
  const { limits, revision } = scope;
  const added = intervals.map((interval) => [
    committedIn(interval, windows),
    moneyAttribute(limits[interval] ? amount.minus(grant) : amount),
  ]);
  return {
    counter: update(table, counterKey(scope), {
      add: { ...inWindows(limits, windows, () => grant), [GRANTS]: 1 },
      when: {
        equal: { active: true, revision, spread },
        atMostIfPresent: inWindows(limits, windows, (limit) => limit.minus(grant)),
      },
    }),
    part: update(table, key, {
      add: Object.fromEntries(added),
      when: {
        equal: { open: true, revision },
        atMostIfPresent: inWindows(limits, windows, () => grant.minus(amount)),
      },
    }),
  };
}

/** Time in ms after which another process may take over a merge, because the merging process has probably died. */
const GATHERING_MS = 2_000;
/**
 * Maximum number of checks of a waiting process, their interval in ms, and the number of checks between two attempts to
 * merge.
 */
const MAX_LOOKS = 75;
const LOOK_EVERY_MS = 40;
const CHECKS_PER_TURN = 15;

/**
 * Merges the parts of a counter. If several processes call this function at the same time, one merges and the others
 * wait.
 * @param spread name of the parts to merge
 * @throws {StoreBusyError} if the table stays busy, or if the merge of another process takes longer than about three
 *   seconds
 */
export async function gatherTogether(table: Table, scope: ScopeId, spread: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (look % CHECKS_PER_TURN > 0) await sleep(LOOK_EVERY_MS * (0.5 + Math.random()));
    else if (await claimsGathering(table, scope, spread)) return void (await gatherCounter(table, scope));
    if (spreadOf(await readItem(table, counterKey(scope))) !== spread) return;
  }
  throw new StoreBusyError();
}

/** Claims the merge of a counter's parts. Returns false if another process began to merge them recently. */
async function claimsGathering(table: Table, scope: ScopeId, spread: string): Promise<boolean> {
  const atMs = nowMs();
  const when = { equal: { spread }, atMostIfPresent: { [GATHERING_SINCE_MS]: atMs - GATHERING_MS } };
  const claim = update(table, counterKey(scope), { set: { [GATHERING_SINCE_MS]: atMs }, when });
  return (await writeAlone(table, claim)) === undefined;
}

export async function gatherGranted(table: Table, scope: ScopeId): Promise<void> {
  const item = await readItem(table, counterKey(scope));
  if (item && isGranted(item)) await gatherCounter(table, scope);
}

function committedIn(interval: Interval, windows: Windows): string {
  return `committed_${windows[interval]}`;
}

function limitedIntervals(limits: Limits): Interval[] {
  return intervals.filter((interval) => limits[interval] !== undefined);
}

function inWindows(limits: Limits, windows: Windows, amountOf: (limit: Money) => Money): Item {
  return Object.fromEntries(
    limitedIntervals(limits).map((interval) => [
      committedIn(interval, windows),
      moneyAttribute(amountOf(limits[interval]!)),
    ]),
  );
}
