/**
 * HTTP client for requests to providers, with connections that are kept open (node:http and node:https). This client
 * needs less CPU time than the global `fetch`.
 *
 * A request opens its connection when it is created, so that the connection is opened (DNS, TCP, TLS) while the gateway
 * reserves money for the request. No byte of the request is sent before `send`.
 */

import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { readAway } from './read-text.ts';
import { ResponseBody } from './response-body.ts';
import { plainAgent, secureAgent, trusted } from './upstream-agents.ts';
import { toUpstreamError, UpstreamError } from './upstream-error.ts';

export interface Timeouts {
  connectMs: number;
  /** Maximum time from the start of sending the request until the response headers arrive. */
  firstByteMs: number;
  /** Maximum time between two chunks of the body. It runs only while a reader waits for a chunk. */
  idleMs: number;
}

export interface UpstreamResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Chunks of the body. A chunk is read only on demand, so the provider sends only as fast as the reader reads. */
  body: PullIterator<Buffer>;
}

export interface UpstreamTarget {
  url: string;
  /** Method of the request; POST if absent. A GET request has no body. */
  method?: 'GET' | 'POST' | undefined;
  headers: Record<string, string>;
  /** Whether to open a new connection instead of reusing one. */
  isFresh?: boolean | undefined;
  /** Returns headers that depend on the body, or that take time to get. */
  authorize?: ((body: Buffer) => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Called once if the provider rejects the credential with status 401.
   * @returns whether the request should be sent again
   */
  renew?: (() => boolean) | undefined;
  /** PEM certificates that are trusted for this target, in addition to the default ones. */
  ca?: string | undefined;
  timeouts: Timeouts;
}

const STALE_WITHIN_MS = 150;
/** Maximum number of interim responses (status 1xx) before the final response. */
const MAX_INTERIM_ANSWERS = 16;

/** A request that opens its connection when it is created, and that `send` sends. */
export class UpstreamRequest {
  readonly #target: UpstreamTarget;
  readonly #signal: AbortSignal;
  #request: ClientRequest;
  #earlyError: Error | undefined;

  constructor(target: UpstreamTarget, signal: AbortSignal) {
    this.#target = target;
    this.#signal = signal;
    this.#request = this.#open();
  }

  /**
   * Sends the request. It is sent again if the reused connection turns out to be closed already, or if `renew` returns
   * true after a status 401.
   * @param onSent called each time the whole request has been sent
   * @throws {UpstreamError}
   */
  async send(body: string | Buffer, onSent: () => void = () => {}): Promise<UpstreamResponse> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const response = await this.#sendOnce(bytes, onSent);
    if (response.status !== 401 || !this.#target.renew?.()) return response;
    await readAway(response.body);
    this.#request = this.#open();
    return this.#sendOnce(bytes, onSent);
  }

  async #sendOnce(bytes: Buffer, onSent: () => void): Promise<UpstreamResponse> {
    const sentAtMs = performance.now();
    try {
      return await this.#exchange(bytes, onSent);
    } catch (error) {
      if (this.#signal.aborted) throw new UpstreamError('aborted', 'The request was cancelled', error);
      if (!this.#wasStale(error, sentAtMs)) throw toUpstreamError(error);
    }
    // The retry opens a new connection, because the provider may have closed the other idle connections at the same
    // time.
    this.#request = this.#open(false);
    try {
      return await this.#exchange(bytes, onSent);
    } catch (error) {
      if (this.#signal.aborted) throw new UpstreamError('aborted', 'The request was cancelled', error);
      throw toUpstreamError(error);
    }
  }

  /**
   * Returns whether the provider had closed a reused connection before it read the request. Only a reset immediately
   * after sending shows that. If the reset came later, the provider may have read the request, and would charge a retry
   * again.
   */
  #wasStale(error: unknown, sentAtMs: number): boolean {
    const { code } = error as NodeJS.ErrnoException;
    const reset = code === 'ECONNRESET' || code === 'EPIPE';
    return this.#request.reusedSocket && reset && performance.now() - sentAtMs < STALE_WITHIN_MS;
  }

  /** Closes the connection of a request that was not sent. */
  discard(): void {
    this.#request.destroy();
  }

  #open(pooled = this.#target.isFresh !== true): ClientRequest {
    const url = new URL(this.#target.url);
    const secure = url.protocol === 'https:';
    const { ca } = this.#target;
    const request = (secure ? https : http).request(url, {
      method: this.#target.method ?? 'POST',
      agent: pooled && (secure ? secureAgent(ca) : plainAgent),
      ...(secure && ca !== undefined ? { ca: trusted(ca) } : {}),
      // Without this header, a server may compress its response (RFC 9110, section 12.5.3). Cloudflare did that in front
      // of Anthropic (https://github.com/Wei-Shaw/claude-relay-service/pull/1039), and the gateway cannot read it.
      headers: { 'accept-encoding': 'identity', ...this.#target.headers },
    });
    // Stores an error that occurs before `send`, which then throws it. Without a listener, the error would end the
    // process.
    request.on('error', (error) => (this.#earlyError ??= error));
    limitConnecting(request, this.#target.timeouts.connectMs, secure);
    this.#earlyError = undefined;
    return request;
  }

  async #authorize(body: Buffer): Promise<void> {
    try {
      const headers = await this.#target.authorize?.(body);
      for (const [name, value] of Object.entries(headers ?? {})) this.#request.setHeader(name, value);
    } catch (error) {
      this.discard();
      throw new UpstreamError('unauthorized', 'The gateway could not authorize its request to the provider', error);
    }
  }

  async #exchange(body: Buffer, onSent: () => void): Promise<UpstreamResponse> {
    const request = this.#request;
    await this.#authorize(body);
    let response: IncomingMessage | undefined;
    const abort = () => {
      // After a complete response, the connection may already be in use by another request, so it must not be
      // destroyed.
      if (!response?.complete) destroy(request, new UpstreamError('aborted', 'The request was cancelled'));
    };
    if (this.#signal.aborted) abort();
    this.#signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(
      () => destroy(request, new UpstreamError('first_byte_timeout', 'The provider did not answer in time')),
      this.#target.timeouts.firstByteMs,
    );
    try {
      const answered = answerTo(request, this.#earlyError);
      request.once('finish', onSent);
      if (this.#target.method !== 'GET') request.setHeader('content-length', body.length);
      request.end(body);
      response = await answered;
      return {
        status: response.statusCode!,
        headers: response.headers,
        body: new ResponseBody(response, {
          idleMs: this.#target.timeouts.idleMs,
          signal: this.#signal,
          onLeave: () => this.#signal.removeEventListener('abort', abort),
        }),
      };
    } catch (error) {
      this.#signal.removeEventListener('abort', abort);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Waits for the response to a request. The request keeps these listeners until its response ends, so they refer neither
 * to its body nor to the prompt: many answers take minutes.
 * @param earlyError error that occurred before the call
 */
function answerTo(request: ClientRequest, earlyError: Error | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (earlyError) reject(earlyError);
    let isAnswered = false;
    let interim = 0;
    request.once('response', (response: IncomingMessage) => {
      isAnswered = true;
      resolve(response);
    });
    request.once('error', reject);
    // If a provider switches to another protocol, it sends no response, and this promise would never settle. The
    // connection is therefore closed.
    request.once('upgrade', (_response, socket) => socket.destroy());
    // Every request emits `close` at the end. An error is created only if no response arrived, because recording its
    // stack takes time.
    request.once('close', () => {
      if (!isAnswered) reject(new UpstreamError('broken', 'The provider closed the connection'));
    });
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_ANSWERS) {
        destroy(
          request,
          new UpstreamError('malformed', 'The provider sent too many interim responses before its answer'),
        );
      }
    });
  });
}

/**
 * Destroys a request. The socket may then emit the reason as an error event, which would end the process without a
 * listener.
 */
function destroy(request: ClientRequest, reason: UpstreamError): void {
  request.socket?.on('error', () => {});
  request.destroy(reason);
}

function limitConnecting(request: ClientRequest, connectMs: number, secure: boolean): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => destroy(request, new UpstreamError('connect_timeout', 'The provider could not be reached in time')),
      connectMs,
    );
    const stop = () => clearTimeout(timer);
    socket.once(secure ? 'secureConnect' : 'connect', stop);
    request.once('close', stop);
  });
}
