/**
 * Adds a hold to the counter of each of its scopes or, if a counter is busy, to one of its parts
 * (store/counters/limited-parts.ts). A hold is refused for lack of room only if the counter as a whole has none.
 */

import {
  forgetParts,
  limitedPartsOf,
  mayGetParts,
  randomPart,
  rememberLimitedParts,
} from '../accounting/busy-counters.ts';
import { Money } from '../money/money.ts';
import {
  counterFrom,
  holdUpdate,
  partKey,
  readCounter,
  spreadOf,
  type Counter,
  type Scope,
  type ScopeKind,
} from '../store/counters/counters.ts';
import {
  gatherTogether,
  grantedHold,
  grantOf,
  grantParts,
  limitedPartsFrom,
  partHold,
  roomAt,
  type LimitedParts,
  type ScopeHold,
} from '../store/counters/limited-parts.ts';
import { isLimited } from '../store/counters/limits.ts';
import { numberFrom, type Item, type Table } from '../store/table/table.ts';
import { pauseAfter, StoreBusyError, transact, type FailedCondition, type Writes } from '../store/table/transact.ts';

type Failed<Name extends string> = { [Of in Name]?: FailedCondition };

export type HoldOutcome<Name extends string> =
  | { committed: true }
  | {
      committed: false;
      failed: Failed<Name>;
      /** Counters of scopes that have no room, are switched off, or have changed limits. */
      counters: { [Kind in ScopeKind]?: Counter };
      /** Whether an attempt without a reply may have made the hold, or may still make it. */
      isUncertain: boolean;
    };

/** Exclusive upper bound on attempts; each tries one part of a counter or the counter itself. */
const MAX_PLACES = 16;
/** Number of attempts at a busy counter before it is split into parts. */
const ATTEMPTS_BEFORE_PARTS = 3;
const ATTEMPTS_IN_A_PART = 2;

/**
 * Holds an amount in every scope in one transaction with the given writes.
 * @param writes the write of the hold's record, and further writes of the hold
 * @param isForCaller whether the caller can use another item instead of a busy one; the error is then thrown after few
 *   attempts
 * @throws {StoreBusyError} if an item stays busy, or if no tried part of a split counter had room
 * @throws {Error} if the table fails, or for a limited scope without a counter
 */
export async function holdInScopes<Name extends string>(
  table: Table,
  scopes: readonly Scope[],
  hold: ScopeHold,
  writes: Writes<Name> & { record: Writes<Name>[Name] },
  isForCaller?: (name: string) => boolean,
): Promise<HoldOutcome<Name>> {
  const search = new Search(table, scopes, hold, isForCaller);
  for (let place = 1; place < MAX_PLACES; place += 1) {
    const outcome = await search.tryAt(place, writes);
    if (outcome) return outcome;
  }
  throw search.busyError(new Error('No counter part had room for the hold within the maximum of attempts'));
}

type GrantName = `grant of ${ScopeKind}`;
type Names<Name extends string> = Name | ScopeKind | GrantName;

const grantName = (kind: ScopeKind): GrantName => `grant of ${kind}`;

class Search {
  readonly #table: Table;
  readonly #scopes: readonly Scope[];
  readonly #hold: ScopeHold;
  readonly #isForCaller: ((name: string) => boolean) | undefined;
  /** Part number that this hold uses at every split counter, so that two holds rarely share an item. */
  #part = randomPart();
  /** Parts used by the last attempt; other scopes used the counter. */
  #tried = new Map<ScopeKind, LimitedParts>();
  /** Room that the next attempt moves from each counter to the current part. */
  readonly #grants = new Map<ScopeKind, Money>();
  #isUncertain = false;

  constructor(table: Table, scopes: readonly Scope[], hold: ScopeHold, isForCaller?: (name: string) => boolean) {
    this.#table = table;
    this.#scopes = scopes;
    this.#hold = hold;
    this.#isForCaller = isForCaller;
  }

  /**
   * Attempts the transaction with the current part number.
   * @returns undefined if another part or the counter may have room
   */
  async tryAt<Name extends string>(place: number, writes: Writes<Name>): Promise<HoldOutcome<Name> | undefined> {
    const all = { ...writes, ...this.#writes() } as Writes<Names<Name>>;
    const attempts = this.#attempts();
    try {
      const outcome = await transact<Names<Name>>(this.#table, all, { attempts });
      if (outcome.committed) return outcome;
      this.#isUncertain ||= outcome.isUncertain;
      return await this.#afterFailure(outcome.failed);
    } catch (error) {
      if (!(error instanceof StoreBusyError)) throw error;
      this.#isUncertain ||= error.isUncertain;
      const isForCaller = this.#isForCaller !== undefined && error.conflicting.some(this.#isForCaller);
      if (attempts === undefined || isForCaller) throw this.busyError(error.cause, error.conflicting);
      await this.#goElsewhere(place, error);
      return undefined;
    }
  }

  busyError(cause: unknown, conflicting?: readonly string[]): StoreBusyError {
    return new StoreBusyError(cause, conflicting, this.#isUncertain);
  }

  #writes(): Writes<ScopeKind | GrantName> {
    const writes: Writes<ScopeKind | GrantName> = {};
    this.#tried = new Map();
    for (const scope of this.#scopes) {
      const { kind } = scope;
      const parts = isLimited(scope.limits) ? limitedPartsOf(scope) : undefined;
      if (!parts) {
        writes[kind] = holdUpdate(this.#table, scope, this.#hold.windows, this.#hold.amount);
        continue;
      }
      this.#tried.set(kind, parts);
      const key = partKey(scope, parts.spread, this.#part);
      const grant = this.#grants.get(kind);
      if (!grant) {
        writes[kind] = partHold(this.#table, key, scope, this.#hold);
        continue;
      }
      const granted = grantedHold(this.#table, { scope, spread: parts.spread, key }, { ...this.#hold, grant });
      writes[kind] = granted.part;
      writes[grantName(kind)] = granted.counter;
    }
    return writes;
  }

  /**
   * Number of attempts at busy items before the hold tries another part, or the caller another item. Undefined if there
   * is no alternative; the store's default number then applies.
   */
  #attempts(): number | undefined {
    const mayGet = this.#scopes.some((scope) => isLimited(scope.limits) && mayGetParts(scope));
    if (mayGet || this.#isForCaller) return ATTEMPTS_BEFORE_PARTS;
    return this.#tried.size > 0 ? ATTEMPTS_IN_A_PART : undefined;
  }

  /** Splits busy counters if possible, and chooses another part of split counters. */
  async #goElsewhere(place: number, { conflicting, isThrottled }: StoreBusyError): Promise<void> {
    const busy = this.#scopes.filter(({ kind }) => conflicting.includes(kind) && !this.#tried.has(kind));
    for (const scope of busy) {
      if (!isLimited(scope.limits) || !mayGetParts(scope)) continue;
      const parts = await grantParts(this.#table, scope, this.#hold).catch(() => undefined);
      if (parts) rememberLimitedParts(scope, parts);
      else forgetParts(scope);
    }
    const isOfParts = this.#grants.size === 0 && conflicting.every((name) => this.#tried.has(name as ScopeKind));
    this.#part = randomPart();
    this.#grants.clear();
    // If only parts conflicted, the next attempt uses another part, so no pause is needed. A throttled partition stays
    // busy for some time.
    if (!isOfParts || isThrottled) await pauseAfter(place);
  }

  async #afterFailure<Name extends string>(failed: Failed<Names<Name>>): Promise<HoldOutcome<Name> | undefined> {
    const counters: { [Kind in ScopeKind]?: Counter } = {};
    // If the record's condition failed (the hold is already placed, or settled), the other conditions do not matter.
    for (const scope of 'record' in failed ? [] : this.#scopes) {
      const [own, grant] = [failed[scope.kind], failed[grantName(scope.kind)]];
      const counter = own || grant ? await this.#look(scope, own, grant) : undefined;
      if (counter) counters[scope.kind] = counter;
    }
    const scopeNames = new Set<string>(this.#scopes.flatMap(({ kind }) => [kind, grantName(kind)]));
    const others = Object.entries(failed).filter(([name]) => !scopeNames.has(name));
    if (others.length === 0 && Object.keys(counters).length === 0) return undefined;
    const isUncertain = this.#isUncertain;
    return { committed: false, failed: Object.fromEntries(others) as Failed<Name>, counters, isUncertain };
  }

  /**
   * Handles the failed conditions of a scope.
   * @returns the counter, if it refuses the hold; undefined if another part or the counter may have room
   */
  async #look(
    scope: Scope,
    failed: FailedCondition | undefined,
    grant: FailedCondition | undefined,
  ): Promise<Counter | undefined> {
    const parts = this.#tried.get(scope.kind);
    if (!parts) return this.#lookAtCounter(scope, failed?.item);
    if (grant) return this.#lookForGrant(scope, parts, grant.item);
    return this.#lookAtPart(scope, parts, failed?.item);
  }

  async #lookAtCounter(scope: Scope, item: Item | undefined): Promise<Counter | undefined> {
    // Fails closed: a limited scope without a counter admits nothing.
    if (!item) throw new Error('A limited scope has no counter');
    const spread = spreadOf(item);
    if (spread === undefined || !isLimited(scope.limits)) return counterFrom(item);
    const parts = limitedPartsFrom(item, this.#hold.windows);
    if (parts) rememberLimitedParts(scope, parts);
    // The parts were created without limits, and an older release has set a limit since. They are merged into the
    // counter.
    else await gatherTogether(this.#table, scope, spread);
    return undefined;
  }

  async #lookAtPart(scope: Scope, parts: LimitedParts, item: Item | undefined): Promise<Counter | undefined> {
    if (item?.['open'] !== true) {
      await this.#leaveParts(scope, parts);
      return undefined;
    }
    // If the part has another revision, the limits have changed. The caller then gets the counter with the new limits.
    if (numberFrom(item['revision']) !== scope.revision) return readCounter(this.#table, scope);
    this.#grants.set(scope.kind, Money.max(this.#hold.amount, parts.grant));
    return undefined;
  }

  async #lookForGrant(scope: Scope, parts: LimitedParts, item: Item | undefined): Promise<Counter | undefined> {
    if (!item) throw new Error('A limited scope has no counter');
    if (spreadOf(item) !== parts.spread) {
      this.#grants.delete(scope.kind);
      forgetParts(scope);
      return undefined;
    }
    if (numberFrom(item['revision']) !== scope.revision) return readCounter(this.#table, scope);
    const room = roomAt(item, this.#hold.windows);
    if (this.#hold.amount.exceeds(room)) {
      // The parts may have enough room together, so all are merged into the counter.
      await this.#leaveParts(scope, parts);
      return undefined;
    }
    const grant = grantOf(room);
    rememberLimitedParts(scope, { ...parts, grant });
    this.#grants.set(scope.kind, Money.max(this.#hold.amount, grant));
    return undefined;
  }

  async #leaveParts(scope: Scope, { spread }: LimitedParts): Promise<void> {
    this.#grants.delete(scope.kind);
    forgetParts(scope);
    await gatherTogether(this.#table, scope, spread);
  }
}
