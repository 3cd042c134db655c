import { penalties, rareTunings, samplingParameters, tuningParameters } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { without } from '../../messages/without.ts';
import type { WireTarget } from '../wire.ts';

type SamplingTarget = Pick<WireTarget, 'supportedParameters' | 'quirks'>;

/** Penalties that the model lists or has a default of. */
export function penaltyFields(
  request: MessagesRequest,
  target: SamplingTarget,
): Partial<Record<(typeof penalties)[number], unknown>> {
  return listedFields(request, target, penalties);
}

/** Other parameters that the model lists. */
export function rareFields(
  request: MessagesRequest,
  target: SamplingTarget,
): Partial<Record<(typeof rareTunings)[number], unknown>> {
  return listedFields(request, target, rareTunings);
}

/**
 * A parameter that the model does not list is not asked of it; one that it lists and its wire has no word for may be taken by another endpoint.
 * @throws {GatewayError} 400 naming a listed parameter that the wire has no word for
 */
export function refuseUnspeakableSampling(
  request: MessagesRequest,
  { supportedParameters }: SamplingTarget,
  unspeakable: readonly string[],
): void {
  const name = unspeakable.find((one) => request[one] !== undefined && supportedParameters.includes(one));
  if (name) throw invalidRequest(name, 'has no effect on this model; leave it out');
}

/** The request without sampling that the model does not list: where a request is passed on as it came. */
export function withListedSampling(request: MessagesRequest, target: SamplingTarget): MessagesRequest {
  const { supportedParameters } = target;
  const unlisted = tuningParameters.filter(
    (name) => request[name] !== undefined && !supportedParameters.includes(name),
  );
  const listed = unlisted.reduce(without, request);
  return target.quirks.sampling_ranges ? { ...listed, ...samplingFields(listed, target) } : listed;
}

/** A model that does not list a sampling parameter would refuse the request; it offers only its fixed sampling. */
export function samplingFields(
  request: MessagesRequest,
  target: SamplingTarget,
): Partial<Record<(typeof samplingParameters)[number], number>> {
  return listedFields(request, target, samplingParameters);
}

function listedFields<Name extends keyof MessagesRequest>(
  request: MessagesRequest,
  { supportedParameters, quirks }: SamplingTarget,
  names: readonly Name[],
): Partial<Record<Name, NonNullable<MessagesRequest[Name]>>> {
  const fields: Partial<Record<Name, NonNullable<MessagesRequest[Name]>>> = {};
  for (const name of names) {
    const value = request[name];
    if (value === undefined || value === null || !supportedParameters.includes(String(name))) continue;
    const range = quirks.sampling_ranges?.[name as keyof typeof quirks.sampling_ranges];
    fields[name] = name === 'seed' ? seedWithin(value, range) : withinRange(value, range);
  }
  return fields;
}

/** The nearest value that the endpoint takes. */
function withinRange<Value>(value: Value, range: readonly [number, number] | undefined): Value {
  if (!range || typeof value !== 'number') return value;
  return Math.max(range[0], Math.min(value, range[1])) as Value & number;
}

/** Another seed that the endpoint takes, the same for the same one: seeds that differ go on to do so, but for chance. */
function seedWithin<Value>(value: Value, range: readonly [number, number] | undefined): Value {
  if (!range || typeof value !== 'number' || (value >= range[0] && value <= range[1])) return value;
  const [least, most] = range;
  const size = most - least + 1;
  return (least + ((((value - least) % size) + size) % size)) as Value & number;
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
