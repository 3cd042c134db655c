import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node parses everything that one read returns before the socket can be paused, so a connection may have this many
 * parsed requests waiting.
 */
const MAX_WAITING_REQUESTS = 32;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * The requests of one connection.
 *
 * Guarantee: they are answered one at a time, in order. Nothing is read from the connection while a request waits, so
 * the rest of a pipeline stays in the kernel. Waiting requests are dropped when the connection closes. A connection
 * with more than `MAX_WAITING_REQUESTS` waiting requests is closed.
 * Weakness: while a request waits, the gateway notices a disconnected client only when it writes an answer.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #answer: (exchange: Exchange) => void;
  readonly #waiting: Exchange[] = [];
  #current: Exchange | undefined;
  #isLast = false;

  /** @param answer starts the answer to a request; the next request starts when its response closes */
  constructor(socket: Socket, answer: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#answer = answer;
  }

  /** The request that is being answered. */
  get current(): Exchange | undefined {
    return this.#current;
  }

  add(exchange: Exchange): void {
    // Node continues with the bytes that it has already read, even if the connection is closed.
    if (!this.#socket.writable) return;
    if (!this.#current) return this.#begin(exchange);
    if (this.#waiting.length === MAX_WAITING_REQUESTS) return this.#drop();
    this.#waiting.push(exchange);
    // Node resumes the socket after each request that it parses.
    process.nextTick(() => this.#waiting.length > 0 && this.#socket.pause());
  }

  /** Closes the connection after the current answer, because the bytes after it cannot be read. */
  endAfterCurrent(): void {
    this.#isLast = true;
    this.#waiting.length = 0;
    this.#socket.pause();
  }

  #begin(exchange: Exchange): void {
    this.#current = exchange;
    // Gives other connections their turn: an answer that waits for nothing would start the next one at once.
    exchange.response.once('close', () => setImmediate(() => this.#next()));
    this.#answer(exchange);
  }

  #next(): void {
    this.#current = undefined;
    if (!this.#socket.writable) return this.#drop();
    if (this.#isLast) return this.#socket.destroySoon();
    const next = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#socket.resume();
    if (next) this.#begin(next);
  }

  #drop(): void {
    this.#waiting.length = 0;
    this.#socket.destroy();
  }
}
