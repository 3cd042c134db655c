import { setTimeout as sleep } from 'node:timers/promises';

/** More requests of one scope do not wait in this process: each of them keeps a function busy. */
const MAX_WAITING = 32;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Requests that wait for money which others hold, in the order in which they came, a queue for each scope. Only the first
 * of a queue asks the store again: the rest would only hinder the settlements that free the money.
 */
export class WaitingRoom {
  readonly #queues = new Map<string, symbol[]>();

  /**
   * Waits for a place in front of the store.
   * @param name of the scope that is waited for
   * @returns undefined when so many wait already that this one should not
   */
  enter(name: string): Waiter | undefined {
    const queue = this.#queues.get(name) ?? [];
    if (queue.length >= MAX_WAITING) return undefined;
    const ticket = Symbol(name);
    this.#queues.set(name, [...queue, ticket]);
    return new Waiter(
      () => this.#queues.get(name)?.[0] === ticket,
      () => this.#leave(name, ticket),
    );
  }

  #leave(name: string, ticket: symbol): void {
    const rest = (this.#queues.get(name) ?? []).filter((other) => other !== ticket);
    if (rest.length > 0) this.#queues.set(name, rest);
    else this.#queues.delete(name);
  }
}

/** One request's place in a queue. */
export class Waiter {
  readonly #isFirst: () => boolean;
  readonly #leave: () => void;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(isFirst: () => boolean, leave: () => void) {
    this.#isFirst = isFirst;
    this.#leave = leave;
  }

  /** Pauses, longer each time, until it is this one's turn to ask or the time is over. */
  async turn(deadlineMs: number): Promise<void> {
    do {
      const leftMs = Math.max(0, deadlineMs - performance.now());
      await sleep(Math.min(leftMs, this.#pauseMs * (0.5 + Math.random())));
      if (this.#isFirst()) this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    } while (!this.#isFirst() && performance.now() < deadlineMs);
  }

  leave(): void {
    this.#leave();
  }
}
