/**
 * HTTP client for providers, over node:http(s) with kept-alive connections. It needs a quarter of the CPU of the global
 * `fetch`.
 *
 * A request opens its connection when it is created. So DNS, TCP and TLS run while the hold (the reservation of money)
 * is placed. No byte of the request is sent before `send`.
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
  /** Maximum time from the start of sending the request to the response headers. */
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
  /** Returns headers that depend on the body, or that take time to obtain. */
  authorize?: ((body: Buffer) => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Called once if the provider refuses the authorization with 401.
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

/** A request that connects when it is created, and is sent by `send`. */
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
   * Sends the request. It is sent again if its reused connection was already closed, or if `renew` returns true after a
   * status 401.
   * @param onSent called when the whole request has been sent
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
    // The retry opens a new connection, because other idle connections may have been closed at the same time.
    this.#request = this.#open(false);
    try {
      return await this.#exchange(bytes, onSent);
    } catch (error) {
      if (this.#signal.aborted) throw new UpstreamError('aborted', 'The request was cancelled', error);
      throw toUpstreamError(error);
    }
  }

  /**
   * Returns whether the provider closed a kept-alive connection before it read the request. Only an immediate reset
   * shows that. After a later reset the provider may have read the request, and would charge a retry again.
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
      headers: this.#target.headers,
    });
    // Stores errors before `send`, which throws them. Without a listener, an error would end the process.
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
      // After a complete response, the connection may already serve another request. So it must not be destroyed.
      if (!response?.complete) destroy(request, new UpstreamError('aborted', 'The request was cancelled'));
    };
    if (this.#signal.aborted) abort();
    this.#signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(
      () => destroy(request, new UpstreamError('first_byte_timeout', 'The provider did not answer in time')),
      this.#target.timeouts.firstByteMs,
    );
    try {
      response = await new Promise<IncomingMessage>((resolve, reject) => {
        if (this.#earlyError) reject(this.#earlyError);
        let interim = 0;
        request.once('response', resolve);
        request.once('error', reject);
        request.once('finish', onSent);
        // If a provider changes the protocol, it sends no response, and the request would never settle. So the
        // connection is closed.
        request.once('upgrade', (_response, socket) => socket.destroy());
        // Every request emits `close` in the end. An error is created only if no response arrived, because its stack
        // takes time.
        request.once('close', () => {
          if (!response) reject(new UpstreamError('broken', 'The provider closed the connection'));
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
        if (this.#target.method !== 'GET') request.setHeader('content-length', body.length);
        request.end(body);
      });
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
 * Destroys a request. The socket emits the reason as an error event. Without a listener, that event would end the
 * process.
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
