/** The deployment that is checked, from outside: HTTP to it, and nothing that this product has within. */

/** A deployment, and the keys to it. */
export interface Target {
  /** Its base URL, with `/v1` at its end. */
  url: string;
  /** The address of the function URL, where there is one, with `/v1` at its end. */
  streamingUrl: string | undefined;
  key: string;
  managementKey: string | undefined;
  /** Undefined where the cheapest one is to be found. */
  model: string | undefined;
  /** An origin whose pages must be able to call it. */
  origin?: string | undefined;
  /** How long a settlement may take. */
  settledWithinMs: number;
}

/** A check does not apply: what it needs was not given, or is not there. */
export class SkippedError extends Error {
  override name = 'SkippedError';
}

/** The target did not do what it should. */
export class FailedError extends Error {
  override name = 'FailedError';
}

/** Longer than any answer of a check may take. */
const EXCHANGE_TIMEOUT_MS = 60_000;

interface Call {
  method?: string;
  body?: unknown;
  /** The inference key of the target, where nothing else is said; null for none. */
  key?: string | null;
  headers?: Record<string, string>;
}

/** @throws {FailedError} where there is no answer */
export async function call(target: Target, path: string, { method, body, key, headers }: Call = {}): Promise<Response> {
  const bearer = key === null ? undefined : (key ?? target.key);
  const url = path.startsWith('http') ? path : `${target.url}${path}`;
  try {
    return await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    // Node has no words for a refused connection, only its code.
    throw new FailedError(`no answer from ${url}: ${cause?.message || cause?.code || message}`);
  }
}

/** @throws {FailedError} for another status, with what the answer says */
export async function expectStatus(response: Response, status: number): Promise<void> {
  if (response.status === status) return;
  const text = (await response.text()).slice(0, 300);
  throw new FailedError(`answered ${response.status}, not ${status}: ${text}`);
}

/** The JSON of an answer with this status. @throws {FailedError} */
export async function expectJson<Body>(response: Response, status = 200): Promise<Body> {
  await expectStatus(response, status);
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    const kind = response.headers.get('content-type') ?? 'of no type';
    throw new FailedError(
      `answered ${status} with what is not JSON (${kind}): ${text.slice(0, 100)}. Something in front answers in the gateway's place: let a proxy or CDN pass on its answers, errors too, as they are`,
    );
  }
}

/** @throws {FailedError} */
export function demand(isRight: boolean, wrong: string): void {
  if (!isRight) throw new FailedError(wrong);
}
