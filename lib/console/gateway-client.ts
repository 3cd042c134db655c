/** Client of the public API of the gateway that serves the console. */

import { parseExactJson } from './exact-numbers.ts';

export class ApiFailure extends Error {
  override name = 'ApiFailure';
  readonly status: number;

  constructor(status: number, body: unknown) {
    const { error } = (body ?? {}) as { error?: { message?: string } };
    super(error?.message ?? `HTTP ${status}`);
    this.status = status;
  }
}

/** Error if there is no response, for example because the gateway or the network is down. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

interface Answered<Body> {
  body: Body;
  etag: string | null;
}

interface Change {
  body?: unknown;
  /** ETag that the console has read; the API rejects the change if the resource has changed since then. */
  ifMatch?: string | null;
  /** Idempotency key. For retries, see `changeNameAfter`. */
  once?: string;
}

export interface GatewayClient {
  read: <Body>(path: string, signal?: AbortSignal) => Promise<Answered<Body>>;
  change: <Body>(method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, change?: Change) => Promise<Answered<Body>>;
  /** Sends JSON or a form; the caller reads the response's body. */
  open: (path: string, body: unknown, signal?: AbortSignal) => Promise<Response>;
}

/** Returns the base URL of the API without a trailing slash. It is the parent path of the console's page. */
export function apiBase(): string {
  return new URL('.', location.href).href.slice(0, -1);
}

/**
 * @param key management or inference key
 * @param onKeyRefused called if the gateway rejects the key
 */
export function openClient(key: string, onKeyRefused: () => void = () => undefined): GatewayClient {
  const send = async (path: string, init: RequestInit, headers: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(apiBase() + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...headers },
      cache: 'no-store',
    }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new NoAnswer();
    });
    if (response.ok) return response;
    if (response.status === 401) onKeyRefused();
    throw new ApiFailure(response.status, await bodyOf(response));
  };
  const json = { 'content-type': 'application/json' };
  return {
    read: async <Body>(path: string, signal?: AbortSignal) =>
      answered<Body>(await send(path, signal ? { signal } : {})),
    change: async <Body>(method: string, path: string, { body, ifMatch, once }: Change = {}) =>
      answered<Body>(
        await send(
          path,
          { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
          {
            ...(body === undefined ? {} : json),
            ...(ifMatch ? { 'if-match': ifMatch } : {}),
            ...(once === undefined ? {} : { 'idempotency-key': once }),
          },
        ),
      ),
    open: (path, body, signal) => {
      const sent = body instanceof FormData ? body : JSON.stringify(body);
      return send(path, { method: 'POST', body: sent, ...(signal ? { signal } : {}) }, sent === body ? {} : json);
    },
  };
}

async function answered<Body>(response: Response): Promise<Answered<Body>> {
  return { body: (await bodyOf(response)) as Body, etag: response.headers.get('etag') };
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return parseExactJson(await response.text());
  } catch {
    return undefined;
  }
}
