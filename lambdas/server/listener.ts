/** The HTTP side of a process that answers many requests: it reads and refuses them as API Gateway does. */

import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { measureFault } from '../http/failure-metrics.ts';
import { errorEnvelope, GatewayError } from '../platform/errors.ts';
import { newRequestId } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import { readTarget, type RequestTarget } from './request-target.ts';

// Of the Messages API; Node would call it unknown.
STATUS_CODES[529] = 'Overloaded';

/** API Gateway's bound on all headers together. */
const MAX_HEADER_BYTES = 10_240;

export interface Listener {
  /** Of a port; empty where it listens at a socket of this machine. */
  url: string;
  /** Takes no more connections, and waits until all answers are sent. */
  close: () => Promise<void>;
  /** Closes every connection at once. */
  stop: () => Promise<void>;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => Promise<void>;

/** @throws {NodeJS.ErrnoException} when it could not listen there */
export async function listen(at: ListenOptions, handle: Handle): Promise<Listener> {
  const unsent = new Set<ServerResponse>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 65_000 }, (request, response) => {
    unsent.add(response);
    response.once('close', () => unsent.delete(response));
    void answer(request, response, handle);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return;
    const refusal = refusalOf(error.code);
    const requestId = newRequestId();
    const body = JSON.stringify(errorEnvelope(refusal, requestId));
    socket.end(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: application/json\r\nrequest-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  });
  await openServer(server, at);
  const address = server.address();
  return {
    url: address === null || typeof address === 'string' ? '' : urlOf(address),
    async close() {
      server.close();
      while (unsent.size > 0) await Promise.all([...unsent].map((response) => once(response, 'close')));
    },
    stop: () => closeServer(server),
  };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** @throws {NodeJS.ErrnoException} when it could not listen there */
export async function openServer(server: Server, at: ListenOptions): Promise<void> {
  server.listen(at);
  await once(server, 'listening');
}

export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close').catch(() => undefined);
}

/** What cannot be read as a request. @param code of Node's parser */
function refusalOf(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('invalid_request', `The headers are larger than ${MAX_HEADER_BYTES} bytes.`, {
        status: 431,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid_request', 'The rest of the request did not come.', { status: 408 });
    case 'HPE_INVALID_URL':
      return new GatewayError('invalid_request', 'The address has characters that must be percent-encoded.');
    default:
      return new GatewayError('invalid_request', 'This is not an HTTP request.');
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, handle: Handle): Promise<void> {
  try {
    const target = readTarget(request.url ?? '/');
    if (!target) throw new GatewayError('invalid_request', 'The address of a request begins with a slash.');
    await handle(request, response, target);
  } catch (error) {
    await restOf(request);
    refuse(request, response, error);
  }
}

/** A refusal of the front door itself, or a function that failed without an answer. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    // The stream broke off after its head: only cutting the connection can still say so.
    response.destroy();
    return;
  }
  const refusal =
    error instanceof GatewayError
      ? error
      : new GatewayError('server', 'The function behind this route failed. Try again.', { status: 502, cause: error });
  if (refusal.cause) {
    log('error', 'function failed', describeError(refusal.cause));
    measureFault('web');
  }
  const requestId = newRequestId();
  // The unread rest of a body would be taken for the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  const body = JSON.stringify(errorEnvelope(refusal, requestId));
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'request-id': requestId,
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/** How much of a refused body is read nevertheless, and for how long: many clients only read an answer when they have sent all. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_DROPPING_MS = 5_000;

/** Reads what a client is still sending, within those bounds. */
async function restOf(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_DROPPING_MS);
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_DROPPED_BYTES) resolve();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, () => resolve());
  await promise;
  clearTimeout(timer);
}
