/**
 * Pages of other origins (CORS). Keys travel in headers, never in cookies, so a page can only use a key that it was given;
 * which origins may at all is the operator's to say.
 */

import { optionalVariable, variables } from '../platform/environment.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

type Headers = Record<string, string>;

const ANY = '*';
/** A day; browsers keep a permission for two hours at most. */
const KEPT_SECONDS = '86400';
/** What pages may read of an answer, beside what every page may. */
const EXPOSED = [
  'request-id',
  'x-request-id',
  'x-gateway-left-out',
  'etag',
  'x-generation-id',
  'server-timing',
  'retry-after',
  'x-should-retry',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'location',
].join(', ');
/** Names of headers with commas between them, of a length that no client comes near. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_HEADER_NAMES = 2_000;

let allowed: { text: string | undefined; origins: Set<string> } | undefined;

function allowedOrigins(): Set<string> {
  const text = optionalVariable(variables.corsOrigins);
  if (allowed === undefined || allowed.text !== text) {
    allowed = { text, origins: new Set((text ?? '').split(',').flatMap((origin) => origin.trim() || [])) };
  }
  return allowed.origins;
}

/** What lets a page of the request's origin read an answer; nothing where it may not, or is no page. */
export function corsHeaders({ headers }: Pick<HttpRequest, 'headers'>): Headers {
  const { origin } = headers;
  if (origin === undefined) return {};
  const origins = allowedOrigins();
  if (origins.has(ANY)) return { 'access-control-allow-origin': ANY, 'access-control-expose-headers': EXPOSED };
  // Caches must not give the answer for one origin to another.
  if (!origins.has(origin)) return origins.size > 0 ? { vary: 'origin' } : {};
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'origin' };
}

/**
 * The answer to a browser that asks whether a page may send a request; undefined for any other request.
 * @param methods that the path has
 */
export function preflight(request: HttpRequest, methods: readonly string[]): HttpResponse | undefined {
  const { method, headers } = request;
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
  const permission = corsHeaders(request);
  if (permission['access-control-allow-origin'] === undefined) return undefined;
  const asked = headers['access-control-request-headers'] ?? '';
  return {
    statusCode: 204,
    headers: {
      ...permission,
      'access-control-allow-methods': methods.join(', '),
      ...(asked.length <= MAX_HEADER_NAMES && HEADER_NAMES.test(asked)
        ? { 'access-control-allow-headers': asked }
        : {}),
      'access-control-max-age': KEPT_SECONDS,
    },
    body: '',
  };
}
