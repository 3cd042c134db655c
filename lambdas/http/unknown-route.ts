/** What is said to a request that no route takes. */

import { GatewayError, notFound } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';

type Method = Route['method'];

interface Place {
  pattern: RegExp;
  methods: Method[];
  /** Of the routes that answer GET here without a key, and whatever the path says. */
  isPublic: boolean;
}

/** `{slug+}` takes the rest of a path, `{hash}` one part of it. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (/^\{\w+\+\}$/.test(part)) return '.+';
    return /^\{\w+\}$/.test(part) ? '[^/]+' : part.replaceAll('.', String.raw`\.`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

const byPath = Map.groupBy(
  Object.values<Route>(routes).flatMap((route) => route.paths.map((path) => ({ path, route }))),
  ({ path }) => path,
);
const places = [...byPath].map(([path, all]): Place => {
  const isPublic = all.some(({ route }) => route.method === 'GET' && route.credential === 'none');
  return {
    pattern: patternOf(path),
    methods: all.map(({ route }) => route.method),
    isPublic: isPublic && !path.includes('{'),
  };
});

/** Where monitors look: a path that answers GET without a key is there for HEAD as well. @param path below the stage */
export function isThere(path: string): boolean {
  return places.some(({ pattern, isPublic }) => isPublic && pattern.test(path));
}

/** @param path below the stage */
export function methodsAt(path: string): Method[] {
  return [...new Set(places.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
}

/** Paths of other APIs that clients know. */
const OTHER_APIS = /^\/(?:chat\/completions|completions|responses|embeddings)$/;

/**
 * @param path below the stage, `/v1`
 * @returns 405 with the methods that there are, or 404 with what the caller may have meant
 */
export function unknownRoute(method: string, path: string): GatewayError {
  const methods = methodsAt(path);
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return new GatewayError('invalid_request', `/v1${path} takes ${allow}, not ${method}.`, {
      status: 405,
      headers: { allow },
    });
  }
  return notFound(`There is no ${method} /v1${path}. ${hintFor(path)}`);
}

function hintFor(path: string): string {
  if (path === '' || path === '/') return 'GET /v1/docs describes this API, GET /v1/models lists its models.';
  if (path.startsWith('/v1/')) return 'Leave "/v1" out of the base URL: this client adds it itself.';
  if (OTHER_APIS.test(path)) return 'This gateway speaks the Messages API: POST /v1/messages.';
  return 'GET /v1/models is a good place to start.';
}
