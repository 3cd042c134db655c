import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Money } from '../../money/money.ts';

/** A refusal is true for this long: places and money that come back are noticed after it. */
const FREE_REFUSAL_LASTS_MS = 1_000;
const MAX_KEPT = 1_000;

interface Kept<Value> {
  value: Value;
  untilMs: number;
}

/**
 * Remembers for a second which counts of free requests and which budgets were used up, so that a client that asks in a loop
 * is refused without locking the budgets that all others need.
 */
export class FreeMemory {
  readonly #requests = new BoundedMap<string, Kept<number>>(MAX_KEPT);
  readonly #amounts = new BoundedMap<string, Kept<Money>>(MAX_KEPT);

  /** So many requests were counted. */
  rememberRequests(name: string, requests: number, atMs: number): void {
    keep(this.#requests, name, requests, atMs);
  }

  /** A budget had no room for an amount, whatever comes back. */
  rememberAmount(name: string, amount: Money, atMs: number): void {
    keep(this.#amounts, name, amount, atMs);
  }

  /** How many requests were counted a moment ago; undefined: ask the store. */
  requests(name: string, atMs: number): number | undefined {
    return recall(this.#requests, name, atMs);
  }

  hasNoRoomFor(name: string, amount: Money, atMs: number): boolean {
    const known = recall(this.#amounts, name, atMs);
    return known !== undefined && !known.exceeds(amount);
  }
}

function keep<Value>(kept: Map<string, Kept<Value>>, name: string, value: Value, atMs: number): void {
  kept.set(name, { value, untilMs: atMs + FREE_REFUSAL_LASTS_MS });
}

/** What is of a time after now was kept before the clock was set back. */
function recall<Value>(kept: Map<string, Kept<Value>>, name: string, atMs: number): Value | undefined {
  const found = kept.get(name);
  return found && atMs < found.untilMs && atMs >= found.untilMs - FREE_REFUSAL_LASTS_MS ? found.value : undefined;
}
