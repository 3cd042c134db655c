import { invalidRequest } from '../platform/errors.ts';

/**
 * Refuses query parameters of a path that has none, because the path would ignore them silently.
 * @throws {GatewayError} 400 that names the parameter
 */
export function checkNoQuery(query: Record<string, string>): void {
  const [name] = Object.keys(query);
  if (name !== undefined)
    throw invalidRequest(name.slice(0, 100), 'is not a known field: this path has no query parameters; leave it out');
}

/**
 * Removes `beta=true`, which Anthropic's SDKs send with each request of their beta methods, and which has no effect. It is
 * sent twice if the client's base URL has it too.
 */
export function withoutBeta({ beta, ...query }: Record<string, string>): Record<string, string> {
  return beta === undefined || /^true(?:,true)*$/.test(beta) ? query : { ...query, beta };
}
