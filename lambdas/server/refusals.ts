/** Answers of the HTTP side itself, in the envelope of all errors. */

import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { measureFault } from '../http/failure-metrics.ts';
import { requestIdHeaders } from '../http/response.ts';
import { errorEnvelope, GatewayError } from '../platform/errors.ts';
import { newRequestId } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import type { Connection } from './connection.ts';

// From the Messages API. Node would call it unknown.
STATUS_CODES[529] = 'Overloaded';

/** API Gateway's bound on all headers together. */
export const MAX_HEADER_BYTES = 10_240;

/**
 * Answers bytes that are not a readable request, or did not arrive in time.
 * @param error of Node's parser
 */
export function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Socket, connection: Connection): void {
  const { current } = connection;
  if (!socket.writable) return;
  // Bytes after a complete request must not disturb its answer.
  if (current?.request.complete) connection.endAfterCurrent();
  else if (current?.response.headersSent) socket.destroy();
  else writeRefusal(socket, unreadable(code));
}

/** Writes an answer on a connection whose requests Node has stopped reading. */
function writeRefusal(socket: Socket, refusal: GatewayError): void {
  const requestId = newRequestId();
  const body = JSON.stringify(errorEnvelope(refusal, requestId));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: application/json\r\nrequest-id: ${requestId}\r\nx-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** @param code of Node's parser */
function unreadable(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('invalid_request', `The headers are larger than ${MAX_HEADER_BYTES} bytes.`, {
        status: 431,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid_request', 'The rest of the request did not arrive in time.', { status: 408 });
    case 'HPE_INVALID_URL':
      return new GatewayError('invalid_request', 'The address has characters that must be percent-encoded.');
    default:
      return new GatewayError('invalid_request', 'This is not an HTTP request.');
  }
}

/** Sends a refusal of the front door itself, or the error of a function that failed without an answer. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    // The stream broke off after its head. Only closing the connection can still report that.
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
  // The unread rest of a body would be read as the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  const body = JSON.stringify(errorEnvelope(refusal, requestId));
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...requestIdHeaders(requestId),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/** Bytes and time spent on reading a refused body: many clients only read an answer after they have sent everything. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_DROPPING_MS = 5_000;

/** Reads the rest of a request, within these bounds. */
export async function dropRest(request: IncomingMessage): Promise<void> {
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
