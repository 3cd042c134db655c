import { invalidRequest } from '../platform/errors.ts';

/**
 * Refuses query parameters on a route that has none. A misspelled parameter would otherwise be ignored silently.
 * @throws {GatewayError} 400 that names the parameter
 */
export function checkNoQuery(query: Record<string, string>): void {
  const [name] = Object.keys(query);
  if (name !== undefined)
    throw invalidRequest(name.slice(0, 100), 'is not a known field: this path has no query parameters; leave it out');
}

/**
 * Removes the parameter `beta`, which Anthropic's SDKs send with every request of their beta methods. It has no effect
 * on any route.
 */
export function withoutBeta({ beta, ...query }: Record<string, string>): Record<string, string> {
  return beta === undefined || beta === 'true' ? query : { ...query, beta };
}
