import type { Money } from '../money/money.ts';
import { intervals, type Interval, type Windows } from '../money/periods.ts';
import type { Counter, Scope } from '../store/counters.ts';

/** How long a refusal is believed. */
const LASTS_MS = 1_000;
/** A client that is refused now and then, or whose limit has just been raised, is not a loop. */
const REFUSALS_OF_A_LOOP = 3;
const DEFAULT_CAPACITY = 1_000;

interface Entry {
  refusals: number;
  untilMs: number;
  spent: Map<string, Money>;
  committed: Map<string, Money>;
}

/**
 * Remembers for a second which scopes have spent their limit, so that a client that asks in a loop is refused without
 * locking counters that others need.
 *
 * Guarantee: only what settled spending alone refuses is refused from here: it grows within a window (corrections apart), so
 * the store would have refused as well. What only holds are in the way of, or a smaller request that may still fit, is
 * asked of the store, and so is everything under another revision of the limits.
 * Weakness: a scope that has refused three times within a second may not notice a raised limit for another second.
 */
export class RefusalMemory {
  readonly #entries = new Map<string, Entry>();
  readonly #capacity: number;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Call it with each counter that the store refused a hold on; what is refused because of holds is not remembered. */
  remember(scope: Scope, windows: Windows, counter: Counter, amount: Money, atMs: number): void {
    const limited = limitedIntervals(scope);
    const spent = new Map(limited.map((interval) => [windows[interval], counter.spent(windows[interval])]));
    if (!refuses(scope, windows, spent, amount)) return;
    const name = nameOf(scope, windows);
    const known = this.#entries.get(name);
    this.#entries.delete(name);
    this.#makeRoom(atMs);
    this.#entries.set(name, {
      refusals: known && known.untilMs > atMs ? known.refusals + 1 : 1,
      untilMs: atMs + LASTS_MS,
      spent,
      committed: new Map(limited.map((interval) => [windows[interval], counter.committed(windows[interval])])),
    });
  }

  /** @returns the counter that would refuse a hold of this amount, with its limited windows only; undefined: ask the store. */
  recall(scope: Scope, windows: Windows, amount: Money, atMs: number): Counter | undefined {
    const entry = this.#entries.get(nameOf(scope, windows));
    if (!entry || entry.untilMs <= atMs || entry.refusals < REFUSALS_OF_A_LOOP) return undefined;
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

  /** The oldest are the first in the map. */
  #makeRoom(atMs: number): void {
    for (const [name, { untilMs }] of this.#entries) {
      if (untilMs > atMs && this.#entries.size < this.#capacity) return;
      this.#entries.delete(name);
    }
  }
}

function limitedIntervals({ limits }: Scope): Interval[] {
  return intervals.filter((interval) => limits[interval] !== undefined);
}

/** Whether what has been spent leaves no room for the amount, whatever becomes of the holds. */
function refuses(scope: Scope, windows: Windows, spent: Map<string, Money>, amount: Money): boolean {
  return limitedIntervals(scope).some((interval) => {
    const limit = scope.limits[interval]!;
    return limit.isZero || spent.get(windows[interval])!.plus(amount).exceeds(limit);
  });
}

function nameOf({ kind, id, revision }: Scope, windows: Windows): string {
  return [kind, id, revision, ...intervals.map((interval) => windows[interval])].join('#');
}
