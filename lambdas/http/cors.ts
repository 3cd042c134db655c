/**
 * Access for web pages of other origins (CORS). The operator sets the allowed origins. The API key is sent in a header,
 * never in a cookie, so a page can use only a key that it knows, for example because a user has entered it.
 */

import { optionalVariable, variables } from '../platform/environment.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

type Headers = Record<string, string>;

const ANY = '*';
/**
 * Time in seconds for which browsers may cache the answer to a preflight request: one day. Some browsers limit it to
 * two hours.
 */
const KEPT_SECONDS = '86400';
/** Response headers that pages may read, in addition to the headers that CORS always allows. */
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
/** Matches header names separated by commas. */
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

/**
 * Returns the headers that allow a page of the request's origin to read the answer. If the origin is not allowed,
 * returns at most the header `vary`. If the request does not come from a page, returns no header.
 */
export function corsHeaders({ headers }: Pick<HttpRequest, 'headers'>): Headers {
  const { origin } = headers;
  if (origin === undefined) return {};
  const origins = allowedOrigins();
  if (origins.has(ANY)) return { 'access-control-allow-origin': ANY, 'access-control-expose-headers': EXPOSED };
  // Without `vary`, a cache could return a response for one origin to another origin.
  if (!origins.has(origin)) return origins.size > 0 ? { vary: 'origin' } : {};
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'origin' };
}

/**
 * Returns the answer to a browser's preflight request; undefined for any other request, and for an origin that is not
 * allowed.
 * @param methods methods of the requested path
 */
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
