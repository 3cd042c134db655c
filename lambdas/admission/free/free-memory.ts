import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Money } from '../../money/money.ts';

/** Time in ms for which a refusal is remembered. */
const FREE_REFUSAL_LASTS_MS = 1_000;
const MAX_KEPT = 1_000;

interface Kept<Value> {
  value: Value;
  untilMs: number;
}

/**
 * Remembers used-up request counts and used-up budgets of free models for a second. A client that retries in a loop
 * then writes to no budgets that other clients need.
 */
export class FreeMemory {
  readonly #requests = new BoundedMap<string, Kept<number>>(MAX_KEPT);
  readonly #amounts = new BoundedMap<string, Kept<Money>>(MAX_KEPT);

  rememberRequests(name: string, requests: number, atMs: number): void {
    keep(this.#requests, name, requests, atMs);
  }

  /** Records that a budget without its holds had no room for an amount. */
  rememberAmount(name: string, amount: Money, atMs: number): void {
    keep(this.#amounts, name, amount, atMs);
  }

  /** Returns the number of requests recorded within the last second; undefined if no number was recorded. */
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

/** Returns a remembered value. Ignores an entry from the future, which was recorded before the clock was set back. */
function recall<Value>(kept: Map<string, Kept<Value>>, name: string, atMs: number): Value | undefined {
  const found = kept.get(name);
  return found && atMs < found.untilMs && atMs >= found.untilMs - FREE_REFUSAL_LASTS_MS ? found.value : undefined;
}
