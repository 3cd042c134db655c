import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { pauseAfterSlice } from '../../platform/concurrency/time-slices.ts';
import { toUpstreamError, UpstreamError } from './upstream-error.ts';

/** While waiting chunks have at least this size, no more data is requested from Node. */
const MAX_WAITING_BYTES = 16 * 1024;
/** Limits for reading the rest of a response, without which its connection cannot be reused. */
const TRAILING_MS = 1_000;
const MAX_TRAILING_BYTES = 64 * 1024;

interface BodyOptions {
  /** Maximum time between two chunks. It runs only while a reader waits for a chunk. */
  idleMs: number;
  signal: AbortSignal;
  /** Called once, when reading ends. */
  onLeave: () => void;
}

/**
 * Reads the chunks of a response; all data since the last read is one chunk. Unlike Node's own iterator, it has an idle
 * timeout. Guarantee: if the reader is slow, the provider can send only what fits into the buffers.
 */
export class ResponseBody implements PullIterator<Buffer> {
  readonly #response: IncomingMessage;
  readonly #options: BodyOptions;
  readonly #idleTimer: NodeJS.Timeout;
  readonly #stopWatching: () => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #isStarted = false;
  /** How the response ended; undefined while it continues. */
  #end: { error: Error | null | undefined } | undefined;
  #isLeft = false;

  constructor(response: IncomingMessage, options: BodyOptions) {
    this.#response = response;
    this.#options = options;
    this.#idleTimer = setTimeout(() => this.#giveUp(), options.idleMs);
    this.#stopWatching = finished(response, { writable: false }, (error) => {
      this.#end = { error };
      this.#wake?.();
    });
  }

  async next(): Promise<IteratorResult<Buffer, void>> {
    const pause = pauseAfterSlice();
    if (pause) await pause;
    while (this.#waitingBytes === 0 && !this.#end && !this.#isLeft) await this.#arrival();
    if (this.#waitingBytes > 0 && !this.#isLeft) return { done: false, value: this.#takeWaiting() };
    const error = this.#isLeft ? undefined : this.#end!.error;
    this.#leave();
    if (error) throw toUpstreamError(error);
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Buffer, void>> {
    this.#leave();
    this.#wake?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for data, for the end of the response, or for a call of `return`. */
  #arrival(): Promise<void> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#response.on('data', this.#onData);
    }
    this.#idleTimer.refresh();
    return new Promise((resolve) => (this.#wake = resolve));
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#response.pause();
    this.#wake?.();
  };

  #takeWaiting(): Buffer {
    const chunk = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#wake = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#response.isPaused()) this.#response.resume();
    return chunk;
  }

  #giveUp(): void {
    if (!this.#wake) return;
    this.#response.socket.on('error', () => {});
    this.#response.destroy(
      new UpstreamError('idle_timeout', 'The provider stopped sending in the middle of its answer'),
    );
  }

  #leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    clearTimeout(this.#idleTimer);
    this.#options.onLeave();
    this.#stopWatching();
    this.#response.off('data', this.#onData);
    if (this.#end?.error || this.#options.signal.aborted) this.#response.destroy();
    else if (!this.#response.readableEnded) finishReading(this.#response);
  }
}

function finishReading(response: IncomingMessage): void {
  let left = MAX_TRAILING_BYTES;
  const timer = setTimeout(() => response.destroy(), TRAILING_MS);
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) response.destroy();
  });
  response.once('close', () => clearTimeout(timer));
  response.on('error', () => response.destroy());
  response.resume();
}
