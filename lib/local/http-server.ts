import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorEnvelope, GatewayError, notFound } from '../../lambdas/platform/errors.ts';
import { newRequestId } from '../../lambdas/platform/ids.ts';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import { StartFailure } from './failure.ts';
import type { FunctionHost, ProxyResult } from './function-host.ts';
import { toRestEvent, toUrlEvent } from './http-events.ts';
import { readTarget, type RequestTarget } from './request-target.ts';
import { buildRoutingTable } from './routing-table.ts';
import type { Wiring } from './wiring.ts';

// Of the Messages API; Node would call it unknown.
STATUS_CODES[529] = 'Overloaded';

/** The largest event that Lambda accepts, in which the body is a text: its quotes are escaped. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;
/** The largest answer that it accepts of a function that does not stream. */
const MAX_RESULT_BYTES = 6_291_556;
/** API Gateway's bound on all headers together. */
const MAX_HEADER_BYTES = 10_240;

export interface LocalServer {
  url: string;
  stop: () => Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => Promise<void>;

/** Stands for API Gateway: the routes below /v1, and a function for all else there. Elsewhere it has no stage. */
export function startApi(
  port: number,
  { routes, unknownRoute }: Pick<Wiring, 'routes' | 'unknownRoute'>,
  host: FunctionHost,
): Promise<LocalServer> {
  const match = buildRoutingTable(routes);
  const elsewhere = { functionName: unknownRoute, path: '/{path+}', streaming: false };
  return listen(port, async (request, response, target) => {
    const { path } = target;
    if (path === '/' && request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      // A browser at the address itself, where AWS has nothing: a person wants to read what is here.
      response.writeHead(302, { location: '/v1/docs' }).end();
      return;
    }
    if (path !== '/v1' && !path.startsWith('/v1/')) {
      throw notFound(
        `There is no ${request.method} ${path}. The base URL of this gateway ends with /v1; /v1/docs describes the API.`,
      );
    }
    const found = match(request.method ?? '', path.slice('/v1'.length)) ?? {
      route: elsewhere,
      pathParameters: { path: path.slice('/v1/'.length) },
    };
    const { functionName, streaming } = found.route;
    const event = fitting(toRestEvent(request, target, found, await readBody(request)));
    if (streaming) await host.stream(functionName, event, response);
    else writeResult(response, (await host.invoke(functionName, event)) as ProxyResult);
  });
}

/** Stands for the function URL: every path goes to its one function. */
export function startFunctionUrl(port: number, name: string, host: FunctionHost): Promise<LocalServer> {
  return listen(port, async (request, response, target) =>
    host.stream(name, fitting(toUrlEvent(request, target, await readBody(request))), response),
  );
}

/** @throws {StartFailure} when the API, or the function URL one port above, could not listen. */
export async function checkPorts(port: number): Promise<void> {
  if (port === 0) return;
  for (const wanted of [port, port + 1]) await close(await open(createServer(), wanted));
}

async function open(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartFailure(`Port ${port} is in use. Stop what listens there, or choose another with --port.`);
    }
    throw new StartFailure(`Port ${port} cannot be opened (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function listen(port: number, handle: Handle): Promise<LocalServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 65_000 }, (request, response) => {
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
  await open(server, port);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => close(server) };
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
  if (refusal.cause) log('error', 'function failed', describeError(refusal.cause));
  const requestId = newRequestId();
  // The unread rest of a body would be taken for the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  const body = JSON.stringify(errorEnvelope(refusal, requestId));
  response.writeHead(refusal.status, {
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

/** @throws {GatewayError} 502 for an answer that Lambda would not take */
function writeResult(response: ServerResponse, result: ProxyResult): void {
  if (isLargerThan(MAX_RESULT_BYTES, result)) {
    throw new GatewayError('server', 'The answer of the function is larger than Lambda takes.', { status: 502 });
  }
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  response.writeHead(result.statusCode, {
    ...(result.headers as Record<string, string>),
    'content-length': body.length,
  });
  response.end(body);
}

/** @throws {GatewayError} 413 for an event that Lambda would not take */
function fitting<Event extends { body?: string | null }>(event: Event): Event {
  if (isLargerThan(MAX_EVENT_BYTES, event)) throw tooLarge();
  return event;
}

/** As JSON, which is how Lambda measures both ways. */
function isLargerThan(bytes: number, message: { body?: string | null | undefined }): boolean {
  // A character becomes six at most; most bodies are far from the limit, and need not be counted.
  return (message.body?.length ?? 0) > bytes / 6 && Buffer.byteLength(JSON.stringify(message)) > bytes;
}

function tooLarge(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    'The request is larger than the 6 MB that a function is given, in which each quote counts twice. Send images and documents by URL.',
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_EVENT_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close').catch(() => undefined);
}
