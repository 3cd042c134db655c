import type { Money } from '../money/money.ts';
import { intervals, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, Scope } from '../store/counters/counters.ts';

/** How long a refusal is repeated. */
const REFUSAL_LASTS_MS = 1_000;
/** How long a scope is remembered as used up. */
const USED_UP_LASTS_MS = 60_000;
/** Fewer refusals are not a loop: a client may be refused now and then, or its limit may just have been raised. */
const REFUSALS_OF_A_LOOP = 3;
const DEFAULT_CAPACITY = 1_000;

interface RememberedRefusal {
  refusals: number;
  atMs: number;
  spent: Map<string, Money>;
  committed: Map<string, Money>;
}

/**
 * Remembers scopes that have spent their limit for a second. A client that retries in a loop is then refused without
 * locking counters that others need. It also remembers scopes that have nothing left, for a minute.
 *
 * Guarantee: it refuses only if settled spending alone refuses. Apart from corrections, settled spending only grows
 * within a window, so the store would refuse as well. The store is read if only holds are in the way, if a smaller
 * request may still fit, and under another revision of the limits.
 * Weakness: a scope that has refused three times within a second may not notice a raised limit for another second.
 */
export class RefusalMemory {
  readonly #entries = new Map<string, RememberedRefusal>();
  readonly #capacity: number;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Call it with each counter that refused a hold. A refusal because of other holds is not remembered. */
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
   * @returns the counter that would refuse a hold of this amount, with its limited windows only; undefined if the store
   *   must be read.
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

  /** Whether a limit of the scope is 0, or was spent when it last refused a hold, at most a minute ago. */
  isUsedUp(scope: Scope, windows: Windows, atMs: number): boolean {
    const limited = limitedIntervals(scope);
    if (limited.some((interval) => scope.limits[interval]!.isZero)) return true;
    const entry = this.#entries.get(refusalName(scope, windows));
    if (!entry || entry.atMs + USED_UP_LASTS_MS <= atMs) return false;
    return limited.some((interval) => !scope.limits[interval]!.exceeds(entry.spent.get(windows[interval])!));
  }

  /** Deletes the oldest entries, which are the first in the map. */
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

/** Whether spending alone leaves no room for the amount, even if all holds are released. */
function refuses(scope: Scope, windows: Windows, spent: Map<string, Money>, amount: Money): boolean {
  return limitedIntervals(scope).some((interval) => {
    const limit = scope.limits[interval]!;
    return limit.isZero || spent.get(windows[interval])!.plus(amount).exceeds(limit);
  });
}

function refusalName({ kind, id, revision }: Scope, windows: Windows): string {
  return [kind, id, revision, ...intervals.map((interval) => windows[interval])].join('#');
}
