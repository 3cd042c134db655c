/** Lambda has no room for another run of a function. */
export class NoRoomError extends Error {
  override name = 'TooManyRequestsException';
}

/** Runs each function at most so often at once, and refuses what comes beyond that, as Lambda does where concurrency is reserved. */
export class Concurrency {
  readonly #max: number;
  readonly #running = new Map<string, number>();

  /** @param max of each function; absent where it has no end */
  constructor(max = Infinity) {
    this.#max = max;
  }

  /** @throws {NoRoomError} when as many runs of this function are under way; nothing has begun then */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(name) ?? 0;
    if (running >= this.#max) throw new NoRoomError(`${name} runs ${running} times at once already`);
    this.#running.set(name, running + 1);
    try {
      return await work();
    } finally {
      this.#running.set(name, this.#running.get(name)! - 1);
    }
  }
}
