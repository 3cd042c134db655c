/** Replaces API Gateway and function URLs: finds the function for a request, and calls it with their event format. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenOptions } from 'node:net';
import { isCompressed, isForm } from '../http/request.ts';
import { withSingleSlashes } from '../http/single-slashes.ts';
import { GatewayError, notFound } from '../platform/errors.ts';
import type { LargeRequestProcess } from './large-request-process.ts';
import {
  eventLimit,
  formTooLarge,
  MAX_EVENT_BYTES,
  MAX_FORM_BYTES,
  readBody,
  type BodyLimit,
  type BodyRoom,
  type BodyShare,
} from './bodies.ts';
import type { FunctionHost, ProxyResult } from './function-host.ts';
import { receivedBody, toRestEvent, toUrlEvent, type Arrival } from './http-events.ts';
import { leavingOf } from './leaving.ts';
import { listen, type Listener } from './listener.ts';
import { directly, originOf, type Origin } from './origin.ts';
import type { RequestTarget } from './request-target.ts';
import { buildRoutingTable, type RouteMatch, type WiredRoute } from './routing-table.ts';

/** Maximum size in bytes of a non-streaming function's result in Lambda. */
const MAX_RESULT_BYTES = 6_291_556;

/** Typical ratio of the decompressed to the compressed size of an agent's JSON. */
const USUAL_RATIO = 8;

export interface ApiServerOptions {
  originOf?: (request: IncomingMessage) => Origin;
  /** Memory for the bodies of all requests; if absent, only the size of each body is limited. */
  room?: BodyRoom;
  /** Whether forms with files may be larger than a Lambda event. */
  acceptsLargeForms?: boolean;
  /**
   * Returns the refusal for a route of the gateway that this server does not serve.
   * @param path path below /v1
   */
  servedElsewhere?: (method: string, path: string) => GatewayError | undefined;
  /** Process for bodies above `upToBytes`, or compressed bodies above an eighth of it. */
  largeRequests?: { upToBytes: number; process: LargeRequestProcess };
}

/**
 * Starts to serve the routes below /v1. The function `unknownRoute` handles other requests below /v1, unless
 * `servedElsewhere` refuses them.
 */
export function startApi(
  at: ListenOptions,
  { routes, unknownRoute }: { routes: WiredRoute[]; unknownRoute: string },
  host: FunctionHost,
  {
    originOf: origin = (request) => originOf(request, directly),
    room,
    acceptsLargeForms = false,
    servedElsewhere,
    largeRequests,
  }: ApiServerOptions = {},
): Promise<Listener> {
  const match = buildRoutingTable(routes);
  const elsewhere = { functionName: unknownRoute, path: '/{path+}', streaming: false };
  const found = ({ method = '' }: IncomingMessage, path: string): Pick<RouteMatch, 'route' | 'pathParameters'> =>
    match(method, path.slice('/v1'.length)) ?? {
      route: { ...elsewhere, method },
      pathParameters: { path: path.slice('/v1/'.length) },
    };

  async function handOver(arrival: Arrival, response: ServerResponse, share: BodyShare | undefined): Promise<void> {
    const route = found(arrival.request, arrival.target.path);
    const event = await received(arrival, route, { response, share, largeRequests, acceptsLargeForms });
    if (!event) return;
    const { functionName, streaming } = route.route;
    if (streaming) await host.stream(functionName, event, response);
    else writeResult(response, (await host.invoke(functionName, event, leavingOf(response))) as ProxyResult);
  }

  return listen(at, async (request, response, target) => {
    const page = pageMeant(request, target);
    if (page !== undefined) {
      response.writeHead(302, { location: page }).end();
      return;
    }
    const { path } = target;
    if (path !== '/v1' && !path.startsWith('/v1/')) {
      throw notFound(`There is no ${request.method} ${path}. ${hintOutsideStage(path)}`);
    }
    const absence = servedElsewhere?.(request.method ?? '', path.slice('/v1'.length));
    if (absence) throw absence;
    const share = room?.share();
    try {
      await handOver({ request, target, origin: origin(request) }, response, share);
    } finally {
      share?.release();
    }
  });
}

interface Reception {
  response: ServerResponse;
  share: BodyShare | undefined;
  largeRequests: ApiServerOptions['largeRequests'] | undefined;
  acceptsLargeForms: boolean;
}

/**
 * Reads a request, or forwards a large request to its process. This is a separate function, so that the bytes of the
 * body do not stay in memory until the answer has ended.
 * @returns the event for the function; undefined if the request was forwarded
 */
async function received(
  arrival: Arrival,
  route: Pick<RouteMatch, 'route' | 'pathParameters'>,
  { response, share, largeRequests, acceptsLargeForms }: Reception,
): Promise<ReturnType<typeof toRestEvent> | undefined> {
  const { request } = arrival;
  const upToBytes =
    largeRequests && largeRequests.upToBytes / (isCompressed(request.headers['content-encoding']) ? USUAL_RATIO : 1);
  const limit = bodyLimit(request, route.route, acceptsLargeForms);
  const { bytes, isWhole } = await readBody(request, { share, upToBytes, limit });
  if (!isWhole) {
    share?.release();
    await largeRequests!.process.forward(arrival, bytes, response);
    return undefined;
  }
  const event = toRestEvent(arrival, route, receivedBody(request, bytes));
  return limit.maxBytes <= MAX_EVENT_BYTES ? fitting(event, limit) : event;
}

/** Returns the maximum size of a body. Only forms for routes with files may be larger than a Lambda event. */
function bodyLimit(
  { headers }: IncomingMessage,
  { takesFiles = false }: Pick<WiredRoute, 'takesFiles'>,
  acceptsLargeForms: boolean,
): BodyLimit {
  if (!takesFiles || !isForm(headers['content-type'])) return eventLimit;
  const maxBytes = acceptsLargeForms ? MAX_FORM_BYTES : MAX_EVENT_BYTES;
  return { maxBytes, refusal: () => formTooLarge(acceptsLargeForms) };
}

/** Pages that people mean by paths outside /v1. API Gateway serves nothing at these paths. */
const pages = new Map([
  ['/', '/v1/docs'],
  ['/docs', '/v1/docs'],
  ['/console', '/v1/console'],
]);

function pageMeant({ method, headers }: IncomingMessage, { path }: RequestTarget): string | undefined {
  const isBrowser = method === 'GET' && headers.accept?.includes('text/html') === true;
  return isBrowser ? pages.get(path) : undefined;
}

/** Replaces a Lambda function URL: requests for any path go to one function. */
export function startFunctionUrl(at: ListenOptions, name: string, host: FunctionHost): Promise<Listener> {
  return listen(at, async (request, response, target) => {
    const { bytes } = await readBody(request);
    const arrival = { request, target, origin: originOf(request, directly) };
    await host.stream(name, fitting(toUrlEvent(arrival, receivedBody(request, bytes))), response);
  });
}

/**
 * Sends the result of a non-streaming function.
 * @throws {GatewayError} 502 for a result that Lambda would reject
 */
function writeResult(response: ServerResponse, result: ProxyResult): void {
  if (isLargerThan(MAX_RESULT_BYTES, result)) {
    throw new GatewayError('server', 'The answer of the function is larger than the limit of Lambda.', { status: 502 });
  }
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  response.writeHead(result.statusCode, {
    ...(result.headers as Record<string, string>),
    'content-length': body.length,
  });
  response.end(body);
}

/**
 * Checks the size of an event, and returns the event.
 * @throws {GatewayError} 413 for an event that Lambda would reject
 */
export function fitting<Event extends { body?: string | null }>(event: Event, { refusal } = eventLimit): Event {
  if (isLargerThan(MAX_EVENT_BYTES, event)) throw refusal();
  return event;
}

/** Whether an event or a result is too large. It is measured as JSON, as Lambda does. */
function isLargerThan(bytes: number, message: { body?: string | null | undefined }): boolean {
  // A character takes at most six bytes in JSON, so short bodies need no exact measurement.
  return (message.body?.length ?? 0) > bytes / 6 && Buffer.byteLength(JSON.stringify(message)) > bytes;
}

function hintOutsideStage(path: string): string {
  const single = withSingleSlashes(path);
  if (single.startsWith('/v1/')) return `Use single slashes: ${single}.`;
  return 'The base URL of this gateway ends with /v1; /v1/docs describes the API.';
}
