import { Readable } from 'node:stream';

/**
 * The body of a streamed answer: pulls from a generator as fast as the reader reads, and not faster.
 *
 * Guarantee: when the reader leaves, `signal` aborts at once, even while the generator waits for its upstream, and the
 * stream counts as closed only when the generator has finished its own ending (which records the spending).
 */
export class AnswerStream extends Readable {
  /** Resolves when the generator has ended, whichever way. */
  readonly settled: Promise<void>;
  readonly #chunks: AsyncGenerator<string | Uint8Array>;
  readonly #abort = new AbortController();
  readonly #resolveSettled: () => void;
  #reading = false;
  #started = false;

  constructor(produce: (signal: AbortSignal) => AsyncGenerator<string | Uint8Array>) {
    super({ highWaterMark: 16 * 1024 });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#resolveSettled = resolve;
    this.#chunks = produce(this.#abort.signal);
  }

  override _read(): void {
    if (!this.#reading) void this.#pull();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#abort.abort();
    void this.#finish().then(() => callback(error));
  }

  async #pull(): Promise<void> {
    this.#reading = true;
    this.#started = true;
    try {
      for (;;) {
        const next = await this.#chunks.next();
        if (next.done) {
          this.#resolveSettled();
          this.push(null);
          return;
        }
        if (!this.push(next.value)) return;
      }
    } catch (error) {
      this.#resolveSettled();
      this.destroy(error as Error);
    } finally {
      this.#reading = false;
    }
  }

  async #finish(): Promise<void> {
    try {
      // A generator that never began would skip its ending: it has to enter its body once to record the spending.
      if (!this.#started) await this.#chunks.next();
      await this.#chunks.return(undefined);
    } catch {
      // The generator's own error has already ended the stream.
    }
    this.#resolveSettled();
  }
}
