/**
 * Handles fields that only tune an answer. An endpoint that does not support a field gets the request without it, and
 * the client gets the name of the field.
 */

import type { Endpoint } from '../catalog/catalog.ts';
import { tuningParameters } from '../catalog/sampling-parameters.ts';
import { factsOf } from '../catalog/wires.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { without } from '../messages/without.ts';
import { invalidRequest } from '../platform/errors.ts';

type EndpointSupport = Pick<Endpoint, 'wire' | 'supportedParameters'>;

/**
 * Returns the tuning fields of a request that are not sent to an endpoint.
 * @param tunings fields of the request that only tune the answer
 */
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
 * Rejects a request for token probabilities that the endpoint does not return.
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
    throw invalidRequest(
      'top_logprobs',
      'this model returns probabilities only for the tokens of its answer, not for alternatives; leave it out',
    );
}
