import { GatewayError, notFound } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';
import type { HttpRequest } from './request.ts';
import { ResourceTree } from './resource-tree.ts';
import { withSingleSlashes } from './single-slashes.ts';

const tree = new ResourceTree<Route>();
for (const route of Object.values<Route>(routes)) {
  for (const path of route.paths) tree.add(route.method, path, route);
}

/**
 * Whether a HEAD request, which monitoring may send, gets a 200: the path serves GET without a key and has no
 * parameters.
 * @param path path without the stage
 */
export function isThere(path: string): boolean {
  const found = tree.find(path);
  // Whether a model exists, for example, cannot be decided from the path alone.
  return found?.methods.get('GET')?.credential === 'none' && Object.keys(found.parameters).length === 0;
}

/**
 * Returns the methods that a path accepts.
 * @param path path without the stage
 */
export function methodsAt(path: string): string[] {
  return [...(tree.find(path)?.methods.keys() ?? [])];
}

/** Paths that resemble paths of OpenAI's API. The client probably means a route for messages. */
const NEAR_OTHER_APIS = /^\/(?:chat|completions|engines|responses)(?:\/|$)/;
/** Paths of the Messages API and of other APIs that this gateway does not support. */
const NOT_HERE =
  /^\/(?:messages\/batches|files|skills|batches|audio|moderations|agents|sessions|environments|guardrails|providers|presets|organization)(?:\/|$)/;

/**
 * Creates the error for a request that matches no route.
 * @param path path without the stage `/v1`
 * @returns a 426 for a WebSocket to the path of a route, a 405 with the available methods for another method, or a 404
 *   with a suggestion
 */
export function unknownRoute({
  method,
  path,
  headers,
}: Pick<HttpRequest, 'method' | 'path' | 'headers'>): GatewayError {
  const methods = methodsAt(path);
  // After 426, Codex uses HTTP at once; after other statuses, it first tries five more times
  // (https://github.com/openai/codex/issues/43353). A proxy may drop the header `upgrade`, but passes
  // `sec-websocket-version`.
  if (methods.length > 0 && headers['sec-websocket-version'] !== undefined) {
    return new GatewayError('invalid_request', `/v1${path} has no WebSocket; use HTTP.`, { status: 426 });
  }
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return new GatewayError('invalid_request', `/v1${path} accepts ${allow}, not ${method}.`, {
      status: 405,
      headers: { allow },
    });
  }
  return notFound(`There is no ${method} /v1${path}. ${hintFor(path)}`);
}

function hintFor(path: string): string {
  if (path === '' || path === '/') return 'GET /v1/docs describes this API, GET /v1/models lists its models.';
  if (path.startsWith('/v1/')) return 'Leave "/v1" out of the base URL: this client adds it itself.';
  if (path.endsWith('/') && methodsAt(path.slice(0, -1)).length > 0)
    return `Leave out the last slash: /v1${path.slice(0, -1)}.`;
  const single = withSingleSlashes(path);
  if (single !== path && methodsAt(single).length > 0) return `Use single slashes: /v1${single}.`;
  if (path === '/auth/key') return 'GET /v1/key returns the limits of a key.';
  if (path === '/responses/compact') {
    return 'This gateway does not shorten conversations for its clients: Codex does it by itself if the name of its model_provider is not "OpenAI".';
  }
  if (NOT_HERE.test(path))
    return 'This gateway does not have that part of the API; GET /v1/docs describes every route of the gateway.';
  if (NEAR_OTHER_APIS.test(path)) {
    return 'Models answer POST /v1/messages, POST /v1/chat/completions and POST /v1/responses.';
  }
  return 'GET /v1/docs describes every route of the gateway.';
}
