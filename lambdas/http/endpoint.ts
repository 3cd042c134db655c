/**
 * Creates the handlers of routes. The manifest (list of routes) states who may call a route. The parameter `accepts`
 * describes the valid input, and a function produces the answer.
 */

import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Context } from 'aws-lambda';
import type { z } from 'zod';
import type { Caller, InferenceCaller } from '../admission/caller.ts';
import { generationIdOf, generationTimeMs } from '../platform/ids.ts';
import { describeError, log, type LogFields } from '../platform/logger.ts';
import type { EntryPoint } from '../platform/metrics.ts';
import { ProviderTime } from '../platform/provider-time.ts';
import type { Credential, Route } from '../route.ts';
import type { Refusal } from '../store/generations/refusals.ts';
import { routes, type RouteName } from '../routes.ts';
import type { AnswerOnce, Keep } from './answer-once.ts';
import { AnswerStream } from './answer-stream.ts';
import { notFound, ServiceError, toGatewayError, type GatewayError } from '../platform/errors.ts';
import type { Compressed } from './compressed.ts';
import type { JsonRules } from './json-body.ts';
import { corsHeaders, preflight } from './cors.ts';
import { UnpackedBody } from './decompressed.ts';
import type { ReadForm } from './form-body.ts';
import { measureRefusal } from './failure-metrics.ts';
import { parseWith, readRequestJson } from './parse.ts';
import { checkNoQuery, withoutBeta } from './query.ts';
import { isForm, normaliseRequest, type HttpEvent, type HttpRequest } from './request.ts';
import { readAsFarAsMayBe, refusedAmounts, refusalFields } from './refusal-fields.ts';
import { errorResponse, requestIdHeaders, type ErrorMembers, type HttpResponse } from './response.ts';
import { serverTiming } from './server-timing.ts';

interface Accepts<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
  Repeats extends AnswerOnce | undefined = AnswerOnce | undefined,
> extends JsonRules {
  body?: Body;
  query?: Query;
  params?: Params;
  /**
   * `formBody` if the route also accepts a form (`multipart/form-data`). It is a parameter, so that other bundles do
   * not contain it.
   */
  form?: ReadForm;
  /**
   * `answerOnce` or `chargedAnswerOnce` if the route supports `Idempotency-Key` through `input.once`. It is a parameter,
   * so that other bundles do not contain it.
   */
  once?: Repeats;
  /**
   * `compressed` if large answers are compressed; the route must stream. It is a parameter, so that other bundles do
   * not contain it.
   */
  compress?: Compressed;
  /** Returns additional members of an error's body. */
  errorMembers?: ErrorMembers;
  /** Prefetches data before the lookup of the caller, without waiting for the result. */
  meanwhile?: () => void;
}

interface CallerByCredential {
  inference: InferenceCaller;
  management: Caller;
  any: Caller;
  none: undefined;
}

export interface EndpointInput<Kind extends Credential, Body = unknown, Query = unknown, Params = unknown> {
  request: HttpRequest;
  entryPoint: EntryPoint;
  /** Id of this request's generation, on routes that spend money. */
  generationId: string;
  /** Measures the time that the gateway waits for providers, for the `server-timing` header. */
  providerTime: ProviderTime;
  caller: CallerByCredential[Kind];
  body: Body;
  query: Query;
  params: Params;
  /** Time in ms until the function's timeout. */
  remainingMs: () => number;
  /** Aborts when the client disconnects; undefined in functions of Lambda, which cannot detect that. */
  clientLeft: AbortSignal | undefined;
  /** Aborts when the gateway's own server is about to end; undefined in Lambda. */
  stopping: AbortSignal | undefined;
  /**
   * Adds work that must finish before the function returns, because Lambda may freeze it afterwards. The work must not
   * reject.
   */
  waitUntil: (work: Promise<void>) => void;
}

type Once = (answer: (keep: Keep) => Promise<HttpResponse>) => Promise<HttpResponse>;
type OnceWhere<Repeats> = Repeats extends AnswerOnce ? { once: Once } : { once?: undefined };

/** Lambda's context, with fields that the gateway's own server adds. */
interface LocalContext extends Context {
  entryPoint?: EntryPoint;
  clientLeft?: AbortSignal;
  stopping?: AbortSignal;
}

type AnyInput = EndpointInput<Credential> & { once?: Once; unfinished: Promise<void>[]; unpacked: UnpackedBody };

/** Maximum length in characters of a body that middy writes in one piece. A stream can wait for a slow client. */
const WRITTEN_AT_ONCE = 16 * 1024;

/** Request state in middy, the middleware library. The first middleware replaces the raw event with the input. */
interface RequestState {
  event: AnyInput;
  context: Context;
  response?: HttpResponse | null | undefined;
  error?: Error | null | undefined;
}

type RouteFor<Kind extends Credential> = {
  [Name in RouteName]: (typeof routes)[Name]['credential'] extends Kind ? Name : never;
}[RouteName];
export type PublicRoute = RouteFor<'none'>;
export type KeyedRoute = Exclude<RouteName, PublicRoute>;
export type InferenceRoute = RouteFor<'inference'>;

/** Functions for routes with a key. They are parameters, so that bundles of public routes do not contain them. */
interface Keyed {
  /** @throws {GatewayError} 401 for a key that is not valid, 403 for a key that may not call the route */
  identify: (request: HttpRequest, credential: Exclude<Credential, 'none'>) => Promise<Caller>;
  /**
   * Returns the id under which the generation is recorded, which may determine its partition
   * (store/generations/generation-key.ts).
   */
  recordedId: (caller: Caller, id: string) => string;
  /**
   * Removes `metadata.tags` from the parsed body, and returns the caller with the request's tags if the route has tags.
   * @throws {GatewayError} 400 for invalid tags, 403 if the key requires other tags
   */
  withTagsOf: (caller: Caller, request: HttpRequest, body: unknown, route: Pick<Route, 'hasTags'>) => Caller;
  /**
   * Returns the headers with the limits on a key's requests.
   * @param atMs time of the request, in epoch milliseconds
   */
  limitHeaders: (caller: Caller, route: RouteName, atMs: number) => Record<string, string>;
  /** The returned promise must not reject. */
  noteRefusal: (refusal: Refusal) => Promise<void>;
}

/**
 * Creates the function that creates the handlers of routes.
 * @typeParam Names routes whose handlers it can create
 * @param keyed undefined for routes without a key
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it limits the routes of each caller
export function endpointsWith<Names extends RouteName>(keyed: Keyed | undefined) {
  return <
    Name extends Names,
    Body extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Params extends z.ZodType = z.ZodUndefined,
    Repeats extends AnswerOnce | undefined = undefined,
  >(
    name: Name,
    accepts: Accepts<Body, Query, Params, Repeats>,
    handle: (
      input: EndpointInput<(typeof routes)[Name]['credential'], z.infer<Body>, z.infer<Query>, z.infer<Params>> &
        OnceWhere<Repeats>,
    ) => Promise<HttpResponse> | HttpResponse,
  ) => {
    const route: Route = routes[name];
    if (accepts.compress && !route.streaming) throw new Error(`${name} has compression, but does not stream`);
    if (accepts.compress && route.functionUrl) throw new Error(`${name} has compression, which would delay its events`);
    return (
      middy<AnyInput, HttpResponse>({
        // Disables middy's early timeout. A stream ends itself before Lambda's timeout, and other work takes much less
        // time.
        timeoutEarlyInMillis: 0,
        requestEnd: untilFinished,
        ...(route.streaming ? { executionMode: executionModeStreamifyResponse } : {}),
      })
        .before(startRequest)
        .before(() => accepts.meanwhile?.())
        .before((passage: RequestState) => answerPreflight(passage, name, route))
        .before((passage: RequestState) => checkPath(passage, route))
        .before((passage: RequestState) => identified(passage, route.credential, keyed))
        .before(({ event }: RequestState) => (accepts.body ? event.unpacked.unpack(event.request) : undefined))
        .before((passage: RequestState) => parseRequest(passage, route, accepts, keyed))
        .before((passage: RequestState) => offerOnce(passage, name, accepts))
        // middy runs these functions in reverse order.
        .after((passage: RequestState) => finishResponse(name, route, passage, { keyed }))
        .after(({ event, response }: RequestState) => accepts.compress?.(event.request, response!))
        .onError((passage: RequestState) => refuseRequest(name, route, passage, { keyed, ...accepts }))
        .handler(async (input: AnyInput) => handle(input as unknown as Parameters<typeof handle>[0]))
    );
  };
}

function startRequest(passage: RequestState): void {
  const event = passage.event as unknown as HttpEvent;
  const { context } = passage;
  const unfinished: Promise<void>[] = [];
  const request = normaliseRequest(event);
  // Removes the body, which may be large, because middy keeps the event until the answer has ended.
  event.body = null;
  passage.event = {
    unfinished,
    unpacked: new UnpackedBody(),
    waitUntil: (work) => void unfinished.push(work),
    request,
    entryPoint: request.unrouted ? 'url' : ((context as LocalContext).entryPoint ?? 'api'),
    generationId: generationIdOf(request.id)!,
    providerTime: new ProviderTime(),
    caller: undefined,
    body: undefined,
    query: undefined,
    params: undefined,
    remainingMs: () => context.getRemainingTimeInMillis(),
    clientLeft: (context as LocalContext).clientLeft,
    stopping: (context as LocalContext).stopping,
  };
}

/** Answers a preflight request at a function URL. */
function answerPreflight(passage: RequestState, name: RouteName, route: Route): HttpResponse | undefined {
  const { request } = passage.event;
  const answer = request.unrouted ? preflight(request, [route.method]) : undefined;
  if (answer) {
    passage.response = answer;
    finishResponse(name, route, passage, {});
  }
  return answer;
}

/**
 * Checks the path at a function URL, which accepts any path.
 * @throws {GatewayError} 404 for another path or method
 */
function checkPath({ event: { request } }: RequestState, route: Route): void {
  if (!request.unrouted) return;
  const paths = ['/', ...route.paths.flatMap((path) => [path, `/v1${path}`])];
  if (request.method === route.method && paths.includes(request.path)) return;
  throw notFound(`This address only answers ${route.method} /v1${route.paths[0]}; everything else is at the base URL.`);
}

async function identified({ event }: RequestState, credential: Credential, keyed: Keyed | undefined): Promise<void> {
  if (credential === 'none') return;
  // The types exclude this case. Otherwise a programming error could make the route public.
  if (!keyed) throw new Error('This route needs an API key, but its handler does not authenticate callers');
  event.caller = await keyed.identify(event.request, credential);
  event.generationId = keyed.recordedId(event.caller, event.generationId);
}

async function parseRequest(
  { event }: RequestState,
  route: Route,
  accepts: Accepts,
  keyed: Keyed | undefined,
): Promise<void> {
  if (accepts.params) event.params = parseWith(accepts.params, event.request.pathParameters, 'path');
  const query = withoutBeta(event.request.query);
  if (accepts.query) event.query = parseWith(accepts.query, query, 'query');
  else if (route.credential === 'management') checkNoQuery(query);
  if (!accepts.body) return;
  const sent = await readBody(event.request, accepts);
  if (keyed && event.caller && route.credential === 'inference') {
    event.caller = keyed.withTagsOf(event.caller, event.request, sent, route);
  }
  event.body = parseWith(accepts.body, sent);
}

async function readBody(request: HttpRequest, accepts: Accepts): Promise<unknown> {
  const isAcceptedForm = accepts.form && isForm(request.headers['content-type']);
  return isAcceptedForm ? accepts.form!(request) : readRequestJson(request, accepts);
}

function offerOnce({ event }: RequestState, route: RouteName, { once }: Accepts): void {
  const { caller, request } = event;
  if (!once || !caller) return;
  // A management key may read the whole account. An inference key must not receive the answers of other keys.
  const owner = routes[route].inference ? caller.key.hash : caller.account.id;
  event.once = (answer) => once({ route, owner, request }, answer);
}

function finishResponse(
  name: RouteName,
  route: Route,
  passage: RequestState,
  { keyed, refusal }: { keyed?: Keyed | undefined; refusal?: GatewayError },
): void {
  const { request, generationId, providerTime } = passage.event;
  const response = passage.response!;
  const { headers, statusCode, body } = response;
  // After the client has disconnected, middy would wait forever for a text to be written; a stream detects it.
  const hasLeft = passage.event.clientLeft?.aborted === true;
  if (route.streaming && typeof body === 'string' && (hasLeft || body.length > WRITTEN_AT_ONCE)) {
    response.body = Readable.from([body]);
  }
  if (body instanceof AnswerStream) {
    request.body = '';
    passage.event.body = undefined;
  }
  Object.assign(headers, requestIdHeaders(request.id));
  const { vary, ...permission } = corsHeaders(request);
  Object.assign(headers, permission);
  if (vary !== undefined) headers['vary'] = headers['vary'] === undefined ? vary : `${headers['vary']}, ${vary}`;
  if (route.inference) {
    headers['x-generation-id'] ??= generationId;
    const { caller } = passage.event;
    if (caller) Object.assign(headers, keyed?.limitHeaders(caller, name, generationTimeMs(generationId)!));
  }
  if (route.inference || route.isTimed) headers['server-timing'] = serverTiming(request.receivedAtMs, providerTime);
  log('info', 'request', {
    route: name,
    requestId: request.id,
    awsRequestId: passage.context.awsRequestId,
    ...(route.inference ? { generationId } : {}),
    ...(passage.event.caller ? callerFields(passage.event.caller) : {}),
    status: statusCode,
    ...(refusal ? refusalFields(refusal, readAsFarAsMayBe(passage.event.body, request.body)) : {}),
    durationMs: Math.round(performance.now() - request.receivedAtMs),
  });
  if (refusal) measureRefusal(refusal, passage.event.entryPoint);
}

type Refusing = Pick<Accepts, 'errorMembers'> & { keyed: Keyed | undefined };

function refuseRequest(name: RouteName, route: Route, passage: RequestState, by: Refusing): void {
  const { keyed, errorMembers } = by;
  const refusal = toGatewayError(passage.error);
  const { request, generationId: id, caller, body, waitUntil } = passage.event;
  const about = { route: name, requestId: request.id, awsRequestId: passage.context.awsRequestId };
  // Failures of providers are logged where they occur.
  if (refusal.kind === 'server') {
    log('error', 'request failed', { ...about, ...describeError(refusal.cause ?? refusal) });
  } else if (refusal.cause instanceof ServiceError) {
    log('warn', 'service busy', { ...about, ...describeError(refusal.cause) });
  }
  if (keyed && route.inference && caller && 'payer' in caller) {
    const { kind, field, limit, model } = refusalFields(refusal, readAsFarAsMayBe(body, request.body));
    const why = { status: refusal.status, kind, field, limit, amounts: refusedAmounts(refusal), model };
    waitUntil(keyed.noteRefusal({ id, payer: caller.payer, createdAtMs: generationTimeMs(id)!, route: name, ...why }));
  }
  passage.response = errorResponse(refusal, request.id, errorMembers?.(refusal));
  finishResponse(name, route, passage, { keyed, refusal });
}

/** Number of hash digits that identify a key in the log. */
const SHORT_HASH = 12;

function callerFields({ account, key }: Caller): LogFields {
  return { accountId: account.id, key: key.hash.slice(0, SHORT_HASH) };
}

/** Waits for open work, because Lambda may freeze the function when its handler returns. */
async function untilFinished(passage: unknown): Promise<void> {
  const { event, response } = passage as RequestState;
  if (response?.body instanceof AnswerStream) {
    // If the client disconnected before the response head was written, nothing reads the body, so this ends the stream.
    response.body.destroy();
    await response.body.settled;
  }
  await Promise.all(event.unfinished);
  event.unpacked.release();
}
