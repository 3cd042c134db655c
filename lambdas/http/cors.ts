/**
 * Access for web pages of other origins (CORS). The API key is sent in a header, never in a cookie, so a page can use
 * only a key that it knows.
 */

import { optionalVariable, variables } from '../platform/environment.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

type Headers = Record<string, string>;

const ANY = '*';
/** Time in seconds for which browsers may cache the answer to a preflight request. */
const KEPT_SECONDS = '86400';
/** Response headers that pages may read. */
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
  'x-service-billing-status',
  'idempotent-replayed',
  ...['limit', 'remaining', 'reset'].flatMap((what) => [
    `x-ratelimit-${what}-requests`,
    `x-ratelimit-${what}-tokens`,
    `anthropic-ratelimit-requests-${what}`,
    `anthropic-ratelimit-tokens-${what}`,
  ]),
].join(', ');
/** Header names separated by commas. */
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

/** Returns the headers that allow a page to read the answer; at most `vary` if its origin is not allowed. */
export function corsHeaders({ headers }: Pick<HttpRequest, 'headers'>): Headers {
  const { origin } = headers;
  if (origin === undefined) return {};
  const origins = allowedOrigins();
  if (origins.has(ANY)) return { 'access-control-allow-origin': ANY, 'access-control-expose-headers': EXPOSED };
  // Without `vary`, a cache could return a response for one origin to another.
  if (!origins.has(origin)) return origins.size > 0 ? { vary: 'origin' } : {};
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'origin' };
}

/** Answers a preflight request of an allowed origin; returns undefined for any other request. */
export function preflight(request: HttpRequest, methods: readonly string[]): HttpResponse | undefined {
  const { method, headers } = request;
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
  const permission = corsHeaders(request);
  if (permission['access-control-allow-origin'] === undefined) return undefined;
  const requested = headers['access-control-request-headers'] ?? '';
  return {
    statusCode: 204,
    headers: {
      ...permission,
      'access-control-allow-methods': methods.join(', '),
      ...(requested.length <= MAX_HEADER_NAMES && HEADER_NAMES.test(requested)
        ? { 'access-control-allow-headers': requested }
        : {}),
      'access-control-max-age': KEPT_SECONDS,
    },
    body: '',
  };
}
