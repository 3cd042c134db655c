import { setTimeout as sleep } from 'node:timers/promises';

/** At most this many requests of one scope wait in a process: each of them keeps a function busy. */
const MAX_WAITERS = 32;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** A request that is not first asks now and then, too: it may want less than the first. */
const FOLLOWER_PAUSE_MS = 1_000;

/**
 * Requests that wait for money held by others, in order of arrival, with a queue for each scope. The first of a queue
 * asks the store often, the rest seldom: they would only slow down the settlements that free the money.
 */
export class WaitingRoom {
  readonly #queues = new Map<string, symbol[]>();

  /**
   * Takes a place in the queue of a scope.
   * @param name of the scope that is waited for
   * @returns undefined when the queue is full
   */
  enter(name: string): Waiter | undefined {
    const queue = this.#queues.get(name) ?? [];
    if (queue.length >= MAX_WAITERS) return undefined;
    const ticket = Symbol(name);
    this.#queues.set(name, [...queue, ticket]);
    return new Waiter(
      name,
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
  /** Of the scope that is waited for. */
  readonly name: string;
  readonly #isFirst: () => boolean;
  readonly #leave: () => void;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(name: string, isFirst: () => boolean, leave: () => void) {
    this.name = name;
    this.#isFirst = isFirst;
    this.#leave = leave;
  }

  /** Pauses, longer each time for the first of a queue, until it is this one's turn to ask or the time is over. */
  async turn(deadlineMs: number): Promise<void> {
    const askAtMs = Math.min(deadlineMs, performance.now() + FOLLOWER_PAUSE_MS * (0.5 + Math.random()));
    do {
      const leftMs = Math.max(0, deadlineMs - performance.now());
      await sleep(Math.min(leftMs, this.#pauseMs * (0.5 + Math.random())));
      if (this.#isFirst()) this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    } while (!this.#isFirst() && performance.now() < askAtMs);
  }

  leave(): void {
    this.#leave();
  }
}
