import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum number of waiting requests per queue and process. */
const MAX_WAITERS = 32;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/**
 * Average pause in ms of a request that is not the first of its queue. It also retries, because it may need less money.
 */
const FOLLOWER_PAUSE_MS = 1_000;

/**
 * Queues of requests that wait for other requests to end, in order of arrival. Frequent retries would slow down the
 * settlements that release the money, so only the first of a queue retries often.
 */
export class WaitingRoom {
  readonly #queues = new Map<string, symbol[]>();

  /**
   * Adds a request to a queue.
   * @returns undefined if the queue is full
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

/** A request that waits in a queue. */
export class Waiter {
  readonly name: string;
  readonly #isFirst: () => boolean;
  readonly #leave: () => void;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(name: string, isFirst: () => boolean, leave: () => void) {
    this.name = name;
    this.#isFirst = isFirst;
    this.#leave = leave;
  }

  /**
   * Waits until this request may retry or the deadline is reached. The first of a queue doubles its pause at each call,
   * up to two seconds.
   */
  async turn(deadlineMs: number): Promise<void> {
    const retryAtMs = Math.min(deadlineMs, performance.now() + FOLLOWER_PAUSE_MS * (0.5 + Math.random()));
    do {
      const leftMs = Math.max(0, deadlineMs - performance.now());
      await sleep(Math.min(leftMs, this.#pauseMs * (0.5 + Math.random())));
      if (this.#isFirst()) this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    } while (!this.#isFirst() && performance.now() < retryAtMs);
  }

  leave(): void {
    this.#leave();
  }
}
