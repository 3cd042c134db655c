/** Sends HTTP requests to search backends, with limits on time and size. */

export interface BackendRequest {
  method: 'GET' | 'POST';
  /** Path below the backend's base URL, with an optional query. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/**
 * Text of a response with status 200, or a failure. Names of failures contain no data from the backend, so they may be
 * logged.
 */
export type BackendReply = { text: string } | { failure: string; status?: number; headers?: Headers };

export interface BackendLimits {
  /** Maximum time in ms up to the last byte of the response. */
  timeoutMs: number;
  maxBytes: number;
}

const defaultLimits: BackendLimits = { timeoutMs: 8_000, maxBytes: 2 * 1024 * 1024 };

/**
 * Sends a request to a backend. Never throws.
 * @param signal ends the request early
 */
export async function queryBackend(
  baseUrl: string,
  { method, path, headers, body }: BackendRequest,
  signal: AbortSignal,
  { timeoutMs, maxBytes }: BackendLimits = defaultLimits,
): Promise<BackendReply> {
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // A redirect could lead to a host that the operator did not configure.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { failure: 'status', status: response.status, headers: response.headers };
    }
    const bytes = await readBackendBody(response.body, maxBytes);
    if (!bytes) return { failure: 'too large', status: 200 };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return { failure: backendFailure(error) };
  }
}

/**
 * Reads the body of a response.
 * @returns undefined if the body is longer than `maxBytes`
 */
async function readBackendBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns a code or name, because the error's message could contain the URL and credentials. */
function backendFailure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}
