/** Reads HTTP requests in a process that serves many requests, and refuses invalid ones. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '../platform/errors.ts';
import { log } from '../platform/logger.ts';
import { Connection, type Exchange } from './connection.ts';
import { dropRest, MAX_HEADER_BYTES, refuseUnreadable, sendRefusal } from './refusals.ts';
import { readTarget, type RequestTarget } from './request-target.ts';

/** Maximum number of open connections; further connections are closed immediately. */
const MAX_CONNECTIONS = 1_024;
/** Maximum times in ms for receiving the headers, and the whole request. */
const MAX_HEAD_MS = 30_000;
const MAX_REQUEST_MS = 120_000;
const CHECK_REQUESTS_EVERY_MS = 5_000;
/** Time in ms after which a client that does not read its answer is disconnected. */
const MAX_UNREAD_MS = 60_000;
const MAX_IDLE_MS = 65_000;
/** Minimum time in ms between log lines about connections above the maximum. */
const LOG_DROPS_EVERY_MS = 60_000;

const CONTINUE = /^100-continue$/i;

export interface Listener {
  /** URL of the listener; empty for a local socket. */
  url: string;
  /**
   * Closes each connection after its next answer, and closes the port after the running answers have been sent. Resolves
   * when the answers to completely received requests have been sent.
   */
  close: () => Promise<void>;
  /** Closes every connection immediately. */
  stop: () => Promise<void>;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => Promise<void>;

export interface ListenerLimits {
  maxConnections?: number;
  maxUnreadMs?: number;
}

/**
 * Listens for requests, and handles them.
 *
 * Guarantee: clients without a key can use only a limited amount of memory. Connections, waiting requests
 * (connection.ts) and unread answers are limited.
 * @throws {NodeJS.ErrnoException} if it cannot listen at this address
 */
export async function listen(at: ListenOptions, handle: Handle, limits: ListenerLimits = {}): Promise<Listener> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: MAX_HEAD_MS,
    requestTimeout: MAX_REQUEST_MS,
    connectionsCheckingInterval: CHECK_REQUESTS_EVERY_MS,
    keepAliveTimeout: MAX_IDLE_MS,
    // Otherwise Node would reject a request without a `host` header before earlier requests of the connection are
    // answered.
    requireHostHeader: false,
  });
  const answers = new Answers(server, handle);
  limitConnections(server, limits);
  await openServer(server, at);
  const address = server.address();
  return {
    url: address === null || typeof address === 'string' ? '' : urlOf(address),
    close: () => answers.end(),
    stop: () => closeServer(server),
  };
}

/** Sends the answers of a server, one at a time on each connection. */
class Answers {
  readonly #server: Server;
  readonly #handle: Handle;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Requests whose answer has not been sent completely. */
  readonly #unsent = new Map<Exchange, Promise<void>>();
  #areLast = false;

  constructor(server: Server, handle: Handle) {
    this.#server = server;
    this.#handle = handle;
    const add = (request: IncomingMessage, response: ServerResponse) =>
      this.#connectionOf(request.socket).add({ request, response });
    server.on('connection', (socket: Socket) =>
      this.#connections.set(socket, new Connection(socket, (exchange) => this.#begin(exchange))),
    );
    server.on('request', add);
    server.on('checkExpectation', add);
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseUnreadable(error, socket, this.#connectionOf(socket)),
    );
    server.on('timeout', (socket: Socket) => this.#closeSilent(socket));
  }

  /** Waits for the running answers, and closes each connection after its next answer. */
  async end(): Promise<void> {
    this.#areLast = true;
    await this.#sent();
    // Requests that have already arrived are still read and answered.
    for (let turn = 0; turn < 2; turn += 1) await nextTurn();
    this.#server.close();
    while (this.#complete().length > 0) await this.#sent();
  }

  #begin(exchange: Exchange): void {
    const { request, response } = exchange;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#unsent.set(exchange, closed);
    response.once('close', () => {
      this.#unsent.delete(exchange);
      resolve();
    });
    if (this.#areLast) response.setHeader('connection', 'close');
    void answer(request, response, this.#handle);
  }

  /** Returns the running answers, except answers to incompletely received requests, whose rest may never arrive. */
  #complete(): Promise<void>[] {
    return [...this.#unsent].filter(([{ request }]) => request.complete).map(([, closed]) => closed);
  }

  async #sent(): Promise<void> {
    await Promise.all(this.#complete());
  }

  #closeSilent(socket: Socket): void {
    const isWaitingForAnswer = this.#connectionOf(socket).current !== undefined && socket.writableLength === 0;
    if (!isWaitingForAnswer) socket.destroy();
  }

  #connectionOf(socket: Socket): Connection {
    return this.#connections.get(socket)!;
  }
}

function limitConnections(
  server: Server,
  { maxConnections = MAX_CONNECTIONS, maxUnreadMs = MAX_UNREAD_MS }: ListenerLimits,
): void {
  server.maxConnections = maxConnections;
  server.timeout = maxUnreadMs;
  let loggedAtMs = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAtMs < LOG_DROPS_EVERY_MS) return;
    loggedAtMs = performance.now();
    log('warn', 'connection limit reached; new connections are closed');
  });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Starts a server, and waits until it listens.
 * @throws {NodeJS.ErrnoException} if it cannot listen at this address
 */
export async function openServer(server: Server, at: ListenOptions): Promise<void> {
  server.listen(at);
  await once(server, 'listening');
}

export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close').catch(() => undefined);
}

async function answer(request: IncomingMessage, response: ServerResponse, handle: Handle): Promise<void> {
  try {
    await handle(request, response, targetOf(request));
  } catch (error) {
    await dropRest(request);
    sendRefusal(request, response, error);
  }
}

/**
 * Returns the path and query of a request.
 * @throws {GatewayError} for an invalid path, a missing `host` header, or an `expect` header that cannot be met
 */
function targetOf({ url = '/', headers, httpVersion }: IncomingMessage): RequestTarget {
  const target = readTarget(url);
  if (!target) throw new GatewayError('invalid_request', 'The path of the request must begin with a slash.');
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new GatewayError('invalid_request', 'The header "host" is missing. Send it with the host of this gateway.');
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect))
    throw new GatewayError('invalid_request', 'The header "expect" must be "100-continue", or absent.', {
      status: 417,
    });
  return target;
}
