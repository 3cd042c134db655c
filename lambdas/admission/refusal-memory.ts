import type { Money } from '../money/money.ts';
import { intervals, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, Scope } from '../store/counters/counters.ts';

const REFUSAL_LASTS_MS = 1_000;
/** Time in ms for which a scope is remembered as used up. */
const USED_UP_LASTS_MS = 60_000;
/**
 * Number of refusals of a scope, each within a second of the previous one, at which the client counts as retrying in a
 * loop. Below it, the store is read, because the limit may just have been raised.
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
 * Remembers which scopes have spent their limit. A client that retries in a loop is then refused without writes to
 * counters that other clients need.
 *
 * Guarantee: it refuses only if settled spending alone leaves no room for the amount. Apart from corrections, settled
 * spending only grows within a window, so the store would refuse as well. Weakness: after three quick refusals of a
 * scope, a raised limit might take effect a second later.
 */
export class RefusalMemory {
  readonly #entries = new Map<string, RememberedRefusal>();
  readonly #capacity: number;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Remembers a refusal, unless it was caused only by holds of other requests. */
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
   * Looks for a remembered refusal that also applies to this amount.
   * @returns the counter that would refuse the hold, with sums of limited periods only; undefined if the store must be
   *   read
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

  /** Returns whether a limit is 0, or was spent when the scope last refused a hold, at most a minute ago. */
  isUsedUp(scope: Scope, windows: Windows, atMs: number): boolean {
    const limited = limitedIntervals(scope);
    if (limited.some((interval) => scope.limits[interval]!.isZero)) return true;
    const entry = this.#entries.get(refusalName(scope, windows));
    if (!entry || entry.atMs + USED_UP_LASTS_MS <= atMs) return false;
    return limited.some((interval) => !scope.limits[interval]!.exceeds(entry.spent.get(windows[interval])!));
  }

  /** Deletes outdated entries, and the oldest entry of a full map, which come first. */
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

/** Returns whether the spent amounts alone, without holds, leave no room for the amount. */
function refuses(scope: Scope, windows: Windows, spent: Map<string, Money>, amount: Money): boolean {
  return limitedIntervals(scope).some((interval) => {
    const limit = scope.limits[interval]!;
    return limit.isZero || spent.get(windows[interval])!.plus(amount).exceeds(limit);
  });
}

function refusalName({ kind, id, revision }: Scope, windows: Windows): string {
  return [kind, id, revision, ...intervals.map((interval) => windows[interval])].join('#');
}
