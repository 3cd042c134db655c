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
    const { message, cause } = error as Error & { cause?: Error };
    throw new FailedError(`no answer from ${url}: ${cause?.message ?? message}`);
  }
}

/** @throws {FailedError} for another status, with what the answer says */
export async function expectStatus(response: Response, status: number): Promise<void> {
  if (response.status === status) return;
  const text = (await response.text()).slice(0, 300);
  throw new FailedError(`answered ${response.status}, not ${status}: ${text}`);
}

/** The JSON of an answer with this status. @throws {FailedError} */
export async function jsonOf<Body>(response: Response, status = 200): Promise<Body> {
  await expectStatus(response, status);
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new FailedError(`answered what is not JSON: ${text.slice(0, 100)}`);
  }
}

/** @throws {FailedError} */
export function demand(isRight: boolean, wrong: string): void {
  if (!isRight) throw new FailedError(wrong);
}
