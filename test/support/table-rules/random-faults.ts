/**
 * Faults that requests to the real service may have, each with its share of requests. If the reply is lost, the write
 * may have taken effect, or may take effect a moment later.
 */

import { randomFrom } from '../random.ts';

/** Shares of calls, from 0 to 1. */
export interface FaultShares {
  /** Conflicts as if another transaction used some of the items; many calls cannot conflict. */
  conflicts: number;
  throttles: number;
  /** Calls that take effect although the client gets no reply, or an error. */
  lostReplies: number;
  /** Calls that do not arrive, or fail before they take effect. */
  lostRequests: number;
}

export type Fate =
  | 'conflict'
  | 'throttle'
  /** The call is carried out; then the connection is cut. */
  | 'cut-after'
  /** The call is carried out; then the service reports a failure. */
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

  /** Returns the fault of the next call; undefined for none. */
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

  /** Returns a random subset, with at least one member if `count` is not 0. */
  someOf(count: number): boolean[] {
    const chosen = Array.from({ length: count }, () => this.#chance() < 0.3);
    if (count > 0) chosen[Math.floor(this.#chance() * count)] = true;
    return chosen;
  }

  between(least: number, most: number): number {
    return least + this.#chance() * (most - least);
  }
}
