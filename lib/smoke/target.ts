export interface Target {
  /** Base URL, which ends in `/v1`. */
  url: string;
  /** Function URL ending in `/v1`. */
  streamingUrl: string | undefined;
  key: string;
  managementKey: string | undefined;
  /** Model for the checks; undefined to use the cheapest model. */
  model: string | undefined;
  /** Origin that CORS must allow to call the deployment. */
  origin?: string | undefined;
  /** Time until a request must be settled. */
  settledWithinMs: number;
}

/** Error if a check cannot be done, for example because an option is missing or the deployment lacks the feature. */
export class SkippedError extends Error {
  override name = 'SkippedError';
}

/** Error if the deployment did not behave as required. */
export class FailedError extends Error {
  override name = 'FailedError';
}

const EXCHANGE_TIMEOUT_MS = 60_000;

interface Call {
  method?: string;
  body?: unknown;
  /** Default: the target's inference key; null sends no key. */
  key?: string | null;
  headers?: Record<string, string>;
}

/**
 * Sends a request to the deployment.
 * @throws {FailedError} if there is no response
 */
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
    // Node's error for a refused connection has a code but no message.
    throw new FailedError(`no response from ${url}: ${cause?.message || cause?.code || message}`);
  }
}

/** @throws {FailedError} for another status; the message contains the beginning of the response */
export async function expectStatus(response: Response, status: number): Promise<void> {
  if (response.status === status) return;
  const text = (await response.text()).slice(0, 300);
  throw new FailedError(`answered ${response.status}, not ${status}: ${text}`);
}

/**
 * Returns the JSON of a response with this status.
 * @throws {FailedError} for another status or invalid JSON
 */
export async function expectJson<Body>(response: Response, status = 200): Promise<Body> {
  await expectStatus(response, status);
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    const kind = response.headers.get('content-type') ?? 'of no type';
    throw new FailedError(
      `answered ${status} with a body that is not JSON (${kind}): ${text.slice(0, 100)}. Let a proxy or CDN in front pass on the gateway's responses, including errors, unchanged`,
    );
  }
}

/** @throws {FailedError} unless the condition is true */
export function demand(isRight: boolean, wrong: string): void {
  if (!isRight) throw new FailedError(wrong);
}
