/** Fields that only tune an answer are not sent to endpoints that do not support them. */

import type { Endpoint } from '../catalog/catalog.ts';
import { tuningParameters } from '../catalog/sampling-parameters.ts';
import { factsOf } from '../catalog/wires.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { without } from '../messages/without.ts';
import { invalidRequest } from '../platform/errors.ts';

type EndpointSupport = Pick<Endpoint, 'wire' | 'supportedParameters'>;

/** Returns the tuning fields of a request that are not sent to an endpoint. */
export function leftOutFields(tunings: readonly string[], { wire, supportedParameters }: EndpointSupport): string[] {
  const known: readonly string[] = factsOf(wire).messages?.tunings ?? [];
  return tunings.filter((name) => !(known.includes(name) && supportedParameters.includes(name)));
}

/** Returns the fields of a request that only tune an answer. */
export function tuningsOf(message: MessagesRequest): string[] {
  return tuningParameters.filter((name) => message[name] !== undefined && message[name] !== null);
}

export function withoutFields(message: MessagesRequest, fields: readonly string[]): MessagesRequest {
  return fields.reduce(without, message);
}

/**
 * Refuses a request for token probabilities that the endpoint does not return.
 * @throws {GatewayError} 400
 */
export function refuseWithoutLogprobs(
  { logprobs, top_logprobs: most }: MessagesRequest,
  { wire, supportedParameters }: EndpointSupport,
): void {
  if (logprobs !== true) return;
  if (!factsOf(wire).messages?.hasLogprobs || !supportedParameters.includes('logprobs'))
    throw invalidRequest('logprobs', 'this model returns no probabilities; leave it out');
  if (most && !supportedParameters.includes('top_logprobs'))
    throw invalidRequest('top_logprobs', 'does not work on this model; leave it out');
}
