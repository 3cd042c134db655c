/**
 * Sends an HTTP request to a search backend, with limits for time and size. Only the backend's own address gets
 * requests.
 */

export interface BackendRequest {
  method: 'GET' | 'POST';
  /** Path below the backend's address. It may have a query. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/**
 * The text of a response with status 200, or the failure. Names of failures never contain data of the backend, so they
 * may be logged.
 */
export type BackendReply = { text: string } | { failure: string; status?: number };

export interface BackendLimits {
  /** Maximum time of the whole request, to the last byte of the response. */
  timeoutMs: number;
  maxBytes: number;
}

const defaultLimits: BackendLimits = { timeoutMs: 8_000, maxBytes: 2 * 1024 * 1024 };

/**
 * Sends a request to a search backend. Never throws.
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
      // A redirect could lead to an address that the operator did not configure.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { failure: 'status', status: response.status };
    }
    const bytes = await readBackendBody(response.body, maxBytes);
    if (!bytes) return { failure: 'too large', status: 200 };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return { failure: backendFailure(error) };
  }
}

/**
 * Reads a body up to the limit.
 * @returns undefined for a longer body
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

/** Returns the code or name of an error. Its message could contain the address and credentials. */
function backendFailure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}
