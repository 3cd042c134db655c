import { Readable } from 'node:stream';
import type { Sink } from '../platform/concurrency/sink.ts';
import { withWholeLines } from '../platform/sse.ts';

/** Chunk that is sent while the stream is silent, because many clients close a silent connection. */
export interface WhenSilent {
  chunk: string;
  afterMs: number;
}

/**
 * Writes an answer as texts of events or as bytes, and ends with its settlement. After the sink has returned false, it
 * writes nothing more.
 * @param readerLeft aborts when the client disconnects, even while the answer waits for the provider
 */
export type WriteAnswer = (sink: Sink<string | Uint8Array>, readerLeft: AbortSignal) => Promise<void>;

/**
 * Body of a streamed answer. The answer is written only as fast as the client reads.
 *
 * Guarantee: the stream closes only after the answer has ended and its spending is recorded, even if nobody reads the
 * stream.
 */
export class AnswerStream extends Readable {
  /** Resolves when the answer has ended, even with an error. */
  readonly settled: Promise<void>;
  readonly #write: WriteAnswer;
  readonly #abort = new AbortController();
  readonly #resolveSettled: () => void;
  /** One timer for the whole answer. A new timer for each chunk would cost more than the chunk itself. */
  readonly #silence: NodeJS.Timeout | undefined;
  #isStarted = false;
  /** Continues an answer that waits for its reader. */
  #continue: ((isRead: boolean) => void) | undefined;

  constructor(write: WriteAnswer, whenSilent?: WhenSilent) {
    super({ highWaterMark: 16 * 1024 });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#resolveSettled = resolve;
    this.#write = write;
    if (whenSilent) this.#silence = setInterval(() => this.#fill(whenSilent.chunk), whenSilent.afterMs);
  }

  override _read(): void {
    if (this.#isStarted) this.#goOn(true);
    else this.#start();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#silence);
    // Without a reason, Node would create a DOMException for every answer, and its stack trace takes time.
    this.#abort.abort('reader left');
    // Starts an answer that nobody has read. Otherwise its end, which records the spending, would be skipped.
    if (this.#isStarted) this.#goOn(false);
    else this.#start();
    void this.settled.then(() => callback(error));
  }

  #start(): void {
    this.#isStarted = true;
    this.#write((chunk) => this.#take(chunk), this.#abort.signal)
      .then(
        () => void this.push(null),
        (error: Error) => this.destroy(error),
      )
      .finally(() => {
        clearInterval(this.#silence);
        this.#resolveSettled();
      });
  }

  #take(chunk: string | Uint8Array): boolean | Promise<boolean> {
    if (this.destroyed) return false;
    this.#silence?.refresh();
    if (this.push(typeof chunk === 'string' ? withWholeLines(chunk) : chunk)) return true;
    return new Promise((resolve) => (this.#continue = resolve));
  }

  #goOn(isRead: boolean): void {
    const resume = this.#continue;
    this.#continue = undefined;
    resume?.(isRead);
  }

  /** Sends the keep-alive chunk of a silent stream, unless the client has not yet read all earlier data. */
  #fill(chunk: string): void {
    if (this.#isStarted && !this.#continue && this.readableLength === 0) this.push(chunk);
  }
}
