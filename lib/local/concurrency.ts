/** Thrown for an invocation that would exceed the concurrency limit of its function. */
export class NoRoomError extends Error {
  override name = 'TooManyRequestsException';
}

/** Limits the concurrent runs of each function, and rejects further runs as Lambda does with reserved concurrency. */
export class Concurrency {
  readonly #max: number;
  readonly #running = new Map<string, number>();

  /** @param max maximum number of concurrent runs per function; default: unlimited */
  constructor(max = Infinity) {
    this.#max = max;
  }

  /**
   * Runs `work` as one run of the function.
   * @throws {NoRoomError} if the limit is reached; `work` is not started then
   */
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
