/**
 * Faults that any call to the real service may have, in given shares of all calls. All of them are possible there: a
 * refused write was not carried out; a write whose reply is lost may have been carried out, or may be a moment later.
 */

import { randomFrom } from '../random.ts';

/** Shares of all calls, from 0 to 1. */
export interface FaultShares {
  /** Writes are refused because another transaction has some of their items. */
  conflicts: number;
  throttles: number;
  /** The call is carried out, but the client gets no reply. */
  lostReplies: number;
  /** The call does not arrive, or fails before it is carried out. */
  lostRequests: number;
}

export type Fate =
  | 'conflict'
  | 'throttle'
  /** Carried out; then the connection is cut. */
  | 'cut-after'
  /** Carried out; then the service reports a failure. */
  | 'error-after'
  /** The connection is cut, but the call is carried out a moment later. */
  | 'late'
  /** The connection is cut, and the call is not carried out. */
  | 'cut-before'
  /** The service reports a failure and has done nothing. */
  | 'error-before';

export class RandomFaults {
  readonly #shares: FaultShares;
  readonly #chance: () => number;

  constructor(shares: Partial<FaultShares>, seed: number) {
    this.#shares = { conflicts: 0, throttles: 0, lostReplies: 0, lostRequests: 0, ...shares };
    this.#chance = randomFrom(seed);
  }

  /** The fault of the next call; undefined for none. */
  next(): Fate | undefined {
    const { conflicts, throttles, lostReplies, lostRequests } = this.#shares;
    let place = this.#chance();
    if (place < conflicts) return 'conflict';
    place -= conflicts;
    if (place < throttles) return 'throttle';
    place -= throttles;
    if (place < lostReplies) return this.oneOf(['cut-after', 'error-after', 'late']);
    place -= lostReplies;
    if (place < lostRequests) return this.oneOf(['cut-before', 'error-before']);
    return undefined;
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#chance() * choices.length)]!;
  }

  /** A random subset with at least one member. */
  someOf(count: number): boolean[] {
    const chosen = Array.from({ length: count }, () => this.#chance() < 0.3);
    if (count > 0) chosen[Math.floor(this.#chance() * count)] = true;
    return chosen;
  }

  between(least: number, most: number): number {
    return least + this.#chance() * (most - least);
  }
}
