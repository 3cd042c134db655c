import { Readable } from 'node:stream';

/** Chunk that is sent while the stream is silent, because many clients close a silent connection. */
export interface WhenSilent {
  chunk: string;
  afterMs: number;
}

/**
 * Body of a streamed answer. It reads from a generator only as fast as the client reads.
 *
 * Guarantee: when the client disconnects, `signal` aborts at once, even while the generator waits for the provider. The
 * stream closes only after the generator has finished its own ending, which records the spending.
 */
export class AnswerStream extends Readable {
  /** Resolves when the generator has ended, even with an error. */
  readonly settled: Promise<void>;
  readonly #chunks: AsyncGenerator<string | Uint8Array>;
  readonly #abort = new AbortController();
  readonly #resolveSettled: () => void;
  /** One timer for the whole answer. A new timer for each chunk would cost more than the chunk itself. */
  readonly #silence: NodeJS.Timeout | undefined;
  #reading = false;
  #started = false;

  constructor(produce: (signal: AbortSignal) => AsyncGenerator<string | Uint8Array>, whenSilent?: WhenSilent) {
    super({ highWaterMark: 16 * 1024 });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#resolveSettled = resolve;
    this.#chunks = produce(this.#abort.signal);
    if (whenSilent) this.#silence = setInterval(() => this.#fill(whenSilent.chunk), whenSilent.afterMs);
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
          this.#settle();
          this.push(null);
          return;
        }
        this.#silence?.refresh();
        if (!this.push(next.value)) return;
      }
    } catch (error) {
      this.#settle();
      this.destroy(error as Error);
    } finally {
      this.#reading = false;
    }
  }

  /** Sends the keep-alive chunk of a silent stream, unless the client has not yet read all earlier data. */
  #fill(chunk: string): void {
    if (this.#reading && this.readableLength === 0) this.push(chunk);
  }

  #settle(): void {
    clearInterval(this.#silence);
    this.#resolveSettled();
  }

  async #finish(): Promise<void> {
    clearInterval(this.#silence);
    try {
      // Starts a generator that has not begun. Otherwise its ending, which records the spending, would be skipped.
      if (!this.#started) await this.#chunks.next();
      await this.#chunks.return(undefined);
    } catch {
      // The generator's error has already ended the stream.
    }
    this.#settle();
  }
}
