import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of parsed requests that wait on one connection. It is above 0, because Node parses all requests in the
 * bytes of one read before the socket can be paused.
 */
const MAX_WAITING_REQUESTS = 32;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Serves the requests of one connection.
 *
 * Guarantee: requests are handled one at a time, in order. While a request waits, nothing more is read from the
 * connection. Waiting requests are dropped when the connection closes, or if there are too many. Weakness: while a
 * request waits, the gateway notices that the client has disconnected only when it writes an answer.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #answer: (exchange: Exchange) => void;
  readonly #waiting: Exchange[] = [];
  #current: Exchange | undefined;
  #isLast = false;

  /** @param answer starts the answer to a request; the next request starts when the response closes */
  constructor(socket: Socket, answer: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#answer = answer;
  }

  get current(): Exchange | undefined {
    return this.#current;
  }

  add(exchange: Exchange): void {
    // Node may still parse requests from bytes that it read before the connection closed.
    if (!this.#socket.writable) return;
    if (!this.#current) return this.#begin(exchange);
    if (this.#waiting.length === MAX_WAITING_REQUESTS) return this.#drop();
    this.#waiting.push(exchange);
    // Node resumes the socket after each parsed request, so the socket must be paused later.
    process.nextTick(() => this.#waiting.length > 0 && this.#socket.pause());
  }

  /** Closes the connection after the current answer, because the bytes after the current request cannot be parsed. */
  endAfterCurrent(): void {
    this.#isLast = true;
    this.#waiting.length = 0;
    this.#socket.pause();
  }

  #begin(exchange: Exchange): void {
    this.#current = exchange;
    // The next request begins in a later turn. Otherwise, a connection with immediate answers would block other
    // connections.
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
