import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Money } from '../../money/money.ts';

/** A refusal is repeated for this long. Released requests and money are noticed after it. */
const FREE_REFUSAL_LASTS_MS = 1_000;
const MAX_KEPT = 1_000;

interface Kept<Value> {
  value: Value;
  untilMs: number;
}

/**
 * Remembers used-up counts of free requests and used-up budgets for a second. A client that retries in a loop is then
 * refused without locking budgets that all others need.
 */
export class FreeMemory {
  readonly #requests = new BoundedMap<string, Kept<number>>(MAX_KEPT);
  readonly #amounts = new BoundedMap<string, Kept<Money>>(MAX_KEPT);

  /** Records the number of counted requests. */
  rememberRequests(name: string, requests: number, atMs: number): void {
    keep(this.#requests, name, requests, atMs);
  }

  /** Records that a budget had no room for an amount, even if all holds are released. */
  rememberAmount(name: string, amount: Money, atMs: number): void {
    keep(this.#amounts, name, amount, atMs);
  }

  /** The number of requests counted a moment ago; undefined if unknown, then the store must be read. */
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

/** Ignores an entry from the future: it was recorded before the clock was set back. */
function recall<Value>(kept: Map<string, Kept<Value>>, name: string, atMs: number): Value | undefined {
  const found = kept.get(name);
  return found && atMs < found.untilMs && atMs >= found.untilMs - FREE_REFUSAL_LASTS_MS ? found.value : undefined;
}
