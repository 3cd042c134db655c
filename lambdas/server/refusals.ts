import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { measureRefusal } from '../http/failure-metrics.ts';
import { requestIdHeaders } from '../http/response.ts';
import { errorJson, GatewayError } from '../platform/errors.ts';
import { newRequestId } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import type { Connection } from './connection.ts';

// Status 529 of the Messages API is missing in Node.
STATUS_CODES[529] = 'Overloaded';

/** Maximum total size of all headers in bytes, the same as API Gateway's. */
export const MAX_HEADER_BYTES = 10_240;

/**
 * Responds to bytes that are not a valid request, or that did not arrive in time.
 * @param error error of Node's parser
 */
export function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Socket, connection: Connection): void {
  const { current } = connection;
  if (!socket.writable) return;
  // Invalid bytes after a complete request must not disturb its answer.
  if (current?.request.complete) connection.endAfterCurrent();
  else if (current?.response.headersSent) socket.destroy();
  else writeRefusal(socket, unreadable(code));
}

/** Writes an error response to a connection from which Node no longer reads requests. */
function writeRefusal(socket: Socket, refusal: GatewayError): void {
  measureRefusal(refusal, 'web');
  const requestId = newRequestId();
  const body = errorJson(refusal, requestId);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: application/json\r\nrequest-id: ${requestId}\r\nx-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/**
 * Returns the error for bytes that are not a valid request.
 * @param code error code of Node's parser
 */
function unreadable(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError(
        'invalid_request',
        `The headers are larger than ${MAX_HEADER_BYTES} bytes. Send fewer or shorter headers.`,
        {
          status: 431,
        },
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid_request', 'The rest of the request did not arrive in time. Send it again.', {
        status: 408,
      });
    case 'HPE_INVALID_URL':
      return new GatewayError(
        'invalid_request',
        'The path of the request has characters that must be percent-encoded.',
      );
    default:
      return new GatewayError('invalid_request', 'This is not an HTTP request.');
  }
}

/**
 * Sends an error response: a refusal by the server itself, or the error of a function that failed without a result. If
 * the body has not arrived completely, the connection is closed afterwards, because the rest of the body could be
 * endless. A connection from another process of the gateway (a local socket) stays open until that process closes it.
 */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    // Only closing the connection can still report the failure.
    response.destroy();
    return;
  }
  const refusal =
    error instanceof GatewayError
      ? error
      : new GatewayError('server', 'The function behind this route failed. Try again.', { status: 502, cause: error });
  if (refusal.cause) log('error', 'function failed', describeError(refusal.cause));
  measureRefusal(refusal, 'web');
  const requestId = newRequestId();
  const isFromElsewhere = request.socket.remoteAddress !== undefined;
  if (!request.complete && isFromElsewhere) response.setHeader('connection', 'close');
  const body = errorJson(refusal, requestId);
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...requestIdHeaders(requestId),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/**
 * Limits, in bytes and ms, of reading the rest of a refused request. The rest is read, because many clients read the
 * response only after they have sent the whole request.
 */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_DROPPING_MS = 5_000;

/** Reads and drops the rest of a request, at most MAX_DROPPED_BYTES and for at most MAX_DROPPING_MS. */
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
