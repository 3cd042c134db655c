/** Errors for requests whose path or method matches no route. */

import { GatewayError, notFound } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';
import { ResourceTree } from './resource-tree.ts';
import { withSingleSlashes } from './single-slashes.ts';

const tree = new ResourceTree<Route>();
for (const route of Object.values<Route>(routes)) {
  for (const path of route.paths) tree.add(route.method, path, route);
}

/**
 * Returns whether a HEAD request, which monitoring may send, gets a 200: if the path has no parameters, and serves GET
 * without a key.
 * @param path path without the stage
 */
export function isThere(path: string): boolean {
  const found = tree.find(path);
  // Excludes paths with parameters: whether a model exists, for example, cannot be decided from the path alone.
  return found?.methods.get('GET')?.credential === 'none' && Object.keys(found.parameters).length === 0;
}

/**
 * Returns the methods of a path.
 * @param path path without the stage
 */
export function methodsAt(path: string): string[] {
  return [...(tree.find(path)?.methods.keys() ?? [])];
}

/** Matches paths that are similar to paths of OpenAI's API. */
const NEAR_OTHER_APIS = /^\/(?:chat|completions|engines|responses)(?:\/|$)/;
/** Matches paths of the Messages API and of other APIs that this gateway does not support. */
const NOT_HERE =
  /^\/(?:messages\/batches|files|skills|batches|audio|moderations|agents|sessions|environments|guardrails|providers|presets|organization)(?:\/|$)/;

/**
 * Creates the error for a request that matches no route.
 * @param path path without the stage `/v1`
 * @returns a 405 with the available methods, or a 404 with a suggestion
 */
export function unknownRoute(method: string, path: string): GatewayError {
  const methods = methodsAt(path);
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
