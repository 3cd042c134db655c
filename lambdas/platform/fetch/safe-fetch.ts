/**
 * HTTP client for URLs from people and providers, which must not make the gateway read from its own network
 * (server-side request forgery). It resolves the host once, checks all its addresses, and connects only to these
 * addresses, even if the DNS entry changes afterwards. The target of a redirect is checked in the same way.
 */

import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { FetchError, type FetchFault } from './fetch-faults.ts';
import { mayConnect, resolvePublicUrl, type PublicUrl, type PublicUrlRules } from './public-url.ts';

export interface FetchRules extends PublicUrlRules {
  maxBytes: number;
  /** Maximum time in ms for everything, from the first request to the end of the body. */
  timeoutMs: number;
  /** Accepted media types; `video/*` accepts every kind of video. */
  mediaTypes: readonly string[];
  signal?: AbortSignal | undefined;
}

export type Fetched = { ok: true; mediaType: string; bytes: Buffer } | { ok: false; reason: FetchFault };

interface FetchedFile {
  ok: true;
  mediaType: string;
  /** Length of the file in bytes, as its server announced it; undefined if the server announced none. */
  length: number | undefined;
  /**
   * Body of the file. The caller must read it, or stop with `return`.
   * @throws {FetchError} while it is read
   */
  body: AsyncGenerator<Buffer, void>;
}
export type Opened = FetchedFile | { ok: false; reason: FetchFault };
export type Posted = { ok: true; status: number } | { ok: false; reason: FetchFault };

interface SafeExchange {
  rules: PublicUrlRules;
  deadline: AbortSignal;
  cancelled: AbortSignal | undefined;
}

interface Sent {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

const MAX_REDIRECTS = 3;
export const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const userAgent = 'model-gateway';

/** Fetches a whole file. Never rejects. */
export async function fetchPublic(url: string, rules: FetchRules): Promise<Fetched> {
  const opened = await openPublic(url, rules);
  if (!opened.ok) return opened;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of opened.body) chunks.push(chunk);
    return { ok: true, mediaType: opened.mediaType, bytes: Buffer.concat(chunks) };
  } catch (error) {
    return failed(error);
  }
}

/** Opens a file as a stream. Never rejects. Reading the body may throw. */
export async function openPublic(url: string, rules: FetchRules): Promise<Opened> {
  const exchange = exchangeOf(rules);
  try {
    const response = await follow(url, exchange);
    const fault = objectionTo(response, rules);
    if (fault) {
      response.destroy();
      return { ok: false, reason: fault };
    }
    const body = readBounded(response, rules.maxBytes, exchange);
    return { ok: true, mediaType: mediaTypeOf(response), length: contentLength(response), body };
  } catch (error) {
    return failed(error);
  }
}

/** Posts a body, and reads only the status of the response. Follows no redirect. Never rejects. */
export async function postPublic(
  url: string,
  sent: { headers: Record<string, string>; body: string },
  rules: PublicUrlRules & { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Posted> {
  try {
    const response = await exchangeOnce(url, { method: 'POST', ...sent }, exchangeOf(rules));
    response.destroy();
    return { ok: true, status: response.statusCode! };
  } catch (error) {
    return failed(error);
  }
}

function exchangeOf(rules: PublicUrlRules & { timeoutMs: number; signal?: AbortSignal | undefined }): SafeExchange {
  return { rules, deadline: AbortSignal.timeout(rules.timeoutMs), cancelled: rules.signal };
}

async function follow(url: string, exchange: SafeExchange): Promise<IncomingMessage> {
  const sent: Sent = { method: 'GET', headers: { accept: '*/*', 'accept-encoding': 'identity' } };
  let next = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await exchangeOnce(next, sent, exchange);
    if (!redirectStatuses.has(response.statusCode!)) return response;
    response.destroy();
    const target = URL.parse(response.headers.location ?? '', next);
    if (!response.headers.location || !target) throw new FetchError('redirects');
    next = target.href;
  }
  throw new FetchError('redirects');
}

/**
 * Sends one request, without following redirects.
 * @throws {FetchError} if the URL is not allowed, or no response arrives
 */
async function exchangeOnce(text: string, sent: Sent, exchange: SafeExchange): Promise<IncomingMessage> {
  const found = await within(exchange, resolvePublicUrl(text, exchange.rules));
  if (typeof found === 'string') throw new FetchError(found);
  const request = connectSafely(found, sent, exchange);
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', (response) => resolve(response.on('error', () => {})));
      request.on('error', reject);
      request.once('upgrade', (_response, socket) => socket.destroy());
      request.once('close', () => reject(new FetchError('unreachable')));
      request.end(sent.body);
    });
  } catch (error) {
    throw exchangeFault(error, exchange, 'unreachable');
  }
}

/** Connects to a checked address. When the connection is open, its address is checked again. */
function connectSafely(
  { url, addresses }: PublicUrl,
  { method, headers, body }: Sent,
  exchange: SafeExchange,
): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method,
    agent: false,
    headers: { 'user-agent': userAgent, ...headers, ...length },
    signal: AbortSignal.any([exchange.deadline, ...(exchange.cancelled ? [exchange.cancelled] : [])]),
    lookup: (_host, { all }, done) =>
      all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family),
  });
  request.once('socket', (socket) =>
    socket.once('connect', () => {
      if (!mayConnect(socket.remoteAddress ?? '', url, exchange.rules)) request.destroy(new FetchError('not_public'));
    }),
  );
  return request;
}

function objectionTo(response: IncomingMessage, { maxBytes, mediaTypes }: FetchRules): FetchFault | undefined {
  if (response.statusCode !== 200) return 'status';
  const mediaType = mediaTypeOf(response);
  const accepted = mediaTypes.some((one) =>
    one.endsWith('/*') ? mediaType.startsWith(one.slice(0, -1)) : mediaType === one,
  );
  const { 'content-encoding': encoding = 'identity' } = response.headers;
  if (!accepted || encoding !== 'identity') return 'media_type';
  return (contentLength(response) ?? 0) > maxBytes ? 'too_large' : undefined;
}

async function* readBounded(
  response: IncomingMessage,
  maxBytes: number,
  exchange: SafeExchange,
): AsyncGenerator<Buffer, void> {
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new FetchError('too_large');
      yield chunk;
    }
  } catch (error) {
    throw exchangeFault(error, exchange, 'broken');
  } finally {
    response.destroy();
  }
}

/**
 * Waits for work, at most until the deadline or a cancellation. The work itself may continue, because the system's name
 * resolution cannot be aborted.
 */
async function within<T>({ deadline, cancelled }: SafeExchange, work: Promise<T>): Promise<T> {
  const signal = AbortSignal.any([deadline, ...(cancelled ? [cancelled] : [])]);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new FetchError(cancelled?.aborted ? 'cancelled' : 'timeout'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function exchangeFault(error: unknown, { deadline, cancelled }: SafeExchange, otherwise: FetchFault): FetchError {
  if (error instanceof FetchError) return error;
  if (cancelled?.aborted) return new FetchError('cancelled');
  return new FetchError(deadline.aborted ? 'timeout' : otherwise);
}

function failed(error: unknown): { ok: false; reason: FetchFault } {
  return { ok: false, reason: error instanceof FetchError ? error.reason : 'unreachable' };
}

/** Returns the media type of a response. Some servers state `image/jpg`, which does not exist, for `image/jpeg`. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  const stated = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  return stated === 'image/jpg' ? 'image/jpeg' : stated;
}

function contentLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
