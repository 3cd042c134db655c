import { penalties, samplingParameters } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';

type SamplingTarget = Pick<WireTarget, 'supportedParameters'>;

/**
 * Penalties that the model lists or has a default of.
 * @throws {GatewayError} 400 for one that is not a number.
 */
export function penaltyFields(
  request: MessagesRequest,
  { supportedParameters }: SamplingTarget,
): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const name of penalties) {
    const value = request[name];
    if (value === undefined || !supportedParameters.includes(name)) continue;
    if (typeof value !== 'number') throw invalidRequest(name, 'must be a number');
    fields[name] = value;
  }
  return fields;
}

/** A model that does not list a sampling parameter would refuse the request; it offers only its fixed sampling. */
export function samplingFields(
  request: MessagesRequest,
  { supportedParameters }: SamplingTarget,
): Partial<Record<(typeof samplingParameters)[number], number>> {
  const listed = samplingParameters.filter((name) => request[name] !== undefined && supportedParameters.includes(name));
  return Object.fromEntries(listed.map((name) => [name, request[name]]));
}

/**
 * @returns undefined where the client sent none
 * @throws {GatewayError} 400 where the model takes none.
 */
export function stopSequences(
  { stop_sequences: sequences }: MessagesRequest,
  { supportedParameters }: SamplingTarget,
): string[] | undefined {
  if (!sequences?.length) return undefined;
  if (supportedParameters.includes('stop')) return sequences;
  throw invalidRequest('stop_sequences', 'this model takes none; leave them out');
}
