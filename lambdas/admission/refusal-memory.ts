import type { Money } from '../money/money.ts';
import { intervals, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, Scope } from '../store/counters/counters.ts';

/** Time in ms for which the refusal of a hold is repeated without reading the store. */
const REFUSAL_LASTS_MS = 1_000;
/** Time in ms for which a scope (key, workspace, member, account or tag) is remembered as used up. */
const USED_UP_LASTS_MS = 60_000;
/**
 * Number of refusals of a scope, each less than a second after the one before, at which the client counts as retrying
 * in a loop. Below this number, the store is read, because the limit may just have been raised.
 */
const REFUSALS_OF_A_LOOP = 3;
const DEFAULT_CAPACITY = 1_000;

interface RememberedRefusal {
  refusals: number;
  atMs: number;
  spent: Map<string, Money>;
  committed: Map<string, Money>;
}

/**
 * Remembers for a second which scopes have spent their limit. A client that retries in a loop is then refused without
 * writes to counters that other clients need. It also remembers for a minute which scopes have nothing left.
 *
 * Guarantee: it refuses only if settled spending alone leaves no room for the amount. Apart from corrections, settled
 * spending only grows within a day or month (window), so the store would refuse as well. The store is still read if a
 * smaller request may fit, or if the limits were changed.
 * Weakness: after three refusals of a scope in quick succession, a raised limit might take effect a second later.
 */
export class RefusalMemory {
  readonly #entries = new Map<string, RememberedRefusal>();
  readonly #capacity: number;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Records a counter that refused a hold. A refusal that only holds of other requests caused is not remembered. */
  remember(scope: Scope, windows: Windows, counter: Counter, amount: Money, atMs: number): void {
    const limited = limitedIntervals(scope);
    const spent = new Map(limited.map((interval) => [windows[interval], counter.spent(windows[interval])]));
    if (!refuses(scope, windows, spent, amount)) return;
    const name = refusalName(scope, windows);
    const known = this.#entries.get(name);
    this.#entries.delete(name);
    this.#makeRoom(atMs);
    this.#entries.set(name, {
      refusals: known && known.atMs + REFUSAL_LASTS_MS > atMs ? known.refusals + 1 : 1,
      atMs,
      spent,
      committed: new Map(limited.map((interval) => [windows[interval], counter.committed(windows[interval])])),
    });
  }

  /**
   * Finds a remembered refusal for a hold of this amount.
   * @returns the counter that would refuse the hold, with sums of the limited periods only; undefined if the store must
   *   be read
   */
  recall(scope: Scope, windows: Windows, amount: Money, atMs: number): Counter | undefined {
    const entry = this.#entries.get(refusalName(scope, windows));
    if (!entry || entry.atMs + REFUSAL_LASTS_MS <= atMs || entry.refusals < REFUSALS_OF_A_LOOP) return undefined;
    if (!refuses(scope, windows, entry.spent, amount)) return undefined;
    const { limits, revision } = scope;
    return {
      active: true,
      revision,
      limits,
      spent: (window) => entry.spent.get(window)!,
      committed: (window) => entry.committed.get(window)!,
    };
  }

  /**
   * Returns whether a limit of the scope is 0, or was spent when the scope last refused a hold, at most a minute ago.
   */
  isUsedUp(scope: Scope, windows: Windows, atMs: number): boolean {
    const limited = limitedIntervals(scope);
    if (limited.some((interval) => scope.limits[interval]!.isZero)) return true;
    const entry = this.#entries.get(refusalName(scope, windows));
    if (!entry || entry.atMs + USED_UP_LASTS_MS <= atMs) return false;
    return limited.some((interval) => !scope.limits[interval]!.exceeds(entry.spent.get(windows[interval])!));
  }

  /** Deletes outdated entries, and the oldest entry of a full map. These entries come first in the map. */
  #makeRoom(atMs: number): void {
    for (const [name, entry] of this.#entries) {
      if (entry.atMs + USED_UP_LASTS_MS > atMs && this.#entries.size < this.#capacity) return;
      this.#entries.delete(name);
    }
  }
}

function limitedIntervals({ limits }: Scope): Interval[] {
  return intervals.filter((interval) => limits[interval] !== undefined);
}

/** Returns whether spending alone leaves no room for the amount, even if all holds are released. */
function refuses(scope: Scope, windows: Windows, spent: Map<string, Money>, amount: Money): boolean {
  return limitedIntervals(scope).some((interval) => {
    const limit = scope.limits[interval]!;
    return limit.isZero || spent.get(windows[interval])!.plus(amount).exceeds(limit);
  });
}

function refusalName({ kind, id, revision }: Scope, windows: Windows): string {
  return [kind, id, revision, ...intervals.map((interval) => windows[interval])].join('#');
}
