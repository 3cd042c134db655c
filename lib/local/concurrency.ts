export class NoRoomError extends Error {
  override name = 'TooManyRequestsException';
}

/** Limits the concurrent runs of each function, like Lambda's reserved concurrency. */
export class Concurrency {
  readonly #max: number;
  readonly #running = new Map<string, number>();

  constructor(max = Infinity) {
    this.#max = max;
  }

  /** @throws {NoRoomError} if the limit is reached; `work` is not started then */
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
