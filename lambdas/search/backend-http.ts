/** HTTP to search backends: one request, bounded in time and bytes. Nothing but the backend's own address is called. */

export interface BackendRequest {
  method: 'GET' | 'POST';
  /** Below the backend's address; may have a query. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/** The text of an answer with status 200, or why there is none. Reasons are ours, so that they may be logged. */
export type BackendReply = { text: string } | { failure: string; status?: number };

export interface BackendLimits {
  /** From the first byte sent to the last byte read. */
  timeoutMs: number;
  maxBytes: number;
}

const defaultLimits: BackendLimits = { timeoutMs: 8_000, maxBytes: 2 * 1024 * 1024 };

/** @param signal ends the request early; never throws */
export async function askBackend(
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
      // An answer elsewhere could be at an address that the operator never named.
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

/** Reads no further than the bound. @returns undefined for a longer body */
async function readBackendBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the body.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A name or a code of Node's; a message could contain the address, and what is in it. */
function backendFailure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}
