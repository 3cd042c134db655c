import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';

/**
 * HTTP to upstreams, on node:http(s) with kept-alive connections: a quarter of the CPU of global fetch.
 *
 * The connection is opened before there is anything to say, so that DNS, TCP and TLS run side by side with the hold;
 * not one byte of the request leaves before `send`.
 */
export interface Timeouts {
  connectMs: number;
  /** From the request's last byte to the response's headers. */
  firstByteMs: number;
  /** Between two chunks of the body, while somebody wants the next one. */
  idleMs: number;
}

export type UpstreamFailure =
  | 'connect'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'broken'
  | 'aborted';

/** The upstream could not be reached, went silent, or broke off. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

export interface UpstreamResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Chunks as they arrive; reading stops when nobody asks, so a slow reader slows the upstream. */
  body: AsyncGenerator<Buffer, void>;
}

export interface UpstreamTarget {
  url: string;
  headers: Record<string, string>;
  timeouts: Timeouts;
}

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxFreeSockets: 256 }),
  'https:': new https.Agent({ keepAlive: true, maxFreeSockets: 256 }),
};

/** A request on its way: connecting at once, sent on demand. */
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

  /** @throws {UpstreamError} */
  async send(body: string): Promise<UpstreamResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#exchange(Buffer.from(body));
      } catch (error) {
        // A kept-alive connection may have been closed by the other side just before we used it: nothing was read.
        const stale = this.#request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (this.#signal.aborted) throw new UpstreamError('aborted', 'The request was cancelled', error);
        if (!stale || attempt > 2) throw toUpstreamError(error);
        this.#request = this.#open();
      }
    }
  }

  /** Gives the connection up without having sent anything. */
  discard(): void {
    this.#request.destroy();
  }

  #open(): ClientRequest {
    const url = new URL(this.#target.url);
    const secure = url.protocol === 'https:';
    const request = (secure ? https : http).request(url, {
      method: 'POST',
      agent: secure ? agents['https:'] : agents['http:'],
      headers: this.#target.headers,
    });
    // Errors before `send` are kept for it; without a listener they would end the process.
    request.on('error', (error) => (this.#earlyError ??= error));
    limitConnecting(request, this.#target.timeouts.connectMs, secure);
    this.#earlyError = undefined;
    return request;
  }

  async #exchange(body: Buffer): Promise<UpstreamResponse> {
    const request = this.#request;
    const abort = () => request.destroy(new UpstreamError('aborted', 'The request was cancelled'));
    if (this.#signal.aborted) abort();
    this.#signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(
      () => request.destroy(new UpstreamError('first_byte_timeout', 'The provider did not answer in time')),
      this.#target.timeouts.firstByteMs,
    );
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        if (this.#earlyError) reject(this.#earlyError);
        request.once('response', resolve);
        request.once('error', reject);
        request.setHeader('content-length', body.length);
        request.end(body);
      });
      const release = () => this.#signal.removeEventListener('abort', abort);
      return {
        status: response.statusCode!,
        headers: response.headers,
        body: readBody(response, this.#target.timeouts.idleMs, release),
      };
    } catch (error) {
      this.#signal.removeEventListener('abort', abort);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function limitConnecting(request: ClientRequest, connectMs: number, secure: boolean): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => request.destroy(new UpstreamError('connect_timeout', 'The provider could not be reached in time')),
      connectMs,
    );
    const stop = () => clearTimeout(timer);
    socket.once(secure ? 'secureConnect' : 'connect', stop);
    request.once('close', stop);
  });
}

async function* readBody(response: IncomingMessage, idleMs: number, release: () => void): AsyncGenerator<Buffer, void> {
  let waiting = false;
  const onIdle = () => {
    if (waiting)
      response.destroy(new UpstreamError('idle_timeout', 'The provider went silent in the middle of its answer'));
  };
  const timer = setTimeout(onIdle, idleMs);
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      waiting = true;
      timer.refresh();
      const next = await chunks.next();
      waiting = false;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    clearTimeout(timer);
    release();
    // Leaving early must free the connection at once; after a complete answer this keeps it alive.
    if (!response.complete) response.destroy();
  }
}

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)) {
    return new UpstreamError('connect', 'The provider could not be reached', error);
  }
  return new UpstreamError('broken', 'The connection to the provider broke off', error);
}

/** The whole of a short body, e.g. of an error; what exceeds `maxBytes` is not read. */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}
