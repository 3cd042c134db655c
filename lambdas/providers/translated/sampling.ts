import { penalties, rareTunings, samplingParameters, tuningParameters } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { without } from '../../messages/without.ts';
import type { WireTarget } from '../wire.ts';

type SamplingTarget = Pick<WireTarget, 'supportedParameters' | 'quirks'>;

/** Returns the penalties (such as presence_penalty) that the request sets and the model lists. */
export function penaltyFields(
  request: MessagesRequest,
  target: SamplingTarget,
): Partial<Record<(typeof penalties)[number], unknown>> {
  return listedFields(request, target, penalties);
}

/** Returns the rarely used parameters (such as a seed) that the request sets and the model lists. */
export function rareFields(
  request: MessagesRequest,
  target: SamplingTarget,
): Partial<Record<(typeof rareTunings)[number], unknown>> {
  return listedFields(request, target, rareTunings);
}

/** Refuses a listed parameter that the wire cannot express: another endpoint of the model may accept it. */
export function refuseUnsupportedSampling(
  request: MessagesRequest,
  { supportedParameters }: SamplingTarget,
  unsupported: readonly string[],
): void {
  const name = unsupported.find((one) => request[one] !== undefined && supportedParameters.includes(one));
  if (name) throw invalidRequest(name, 'has no effect on this model; leave it out');
}

/** Drops unlisted sampling parameters, and moves the others into the endpoint's ranges. */
export function withListedSampling(request: MessagesRequest, target: SamplingTarget): MessagesRequest {
  const { supportedParameters } = target;
  const unlisted = tuningParameters.filter(
    (name) => request[name] !== undefined && !supportedParameters.includes(name),
  );
  const listed = unlisted.reduce(without, request);
  return target.quirks.sampling_ranges ? { ...listed, ...samplingFields(listed, target) } : listed;
}

/** Returns the sampling parameters that the request sets and the model lists. */
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

/** Returns the value in the endpoint's range that is closest to the given value. */
function withinRange<Value>(value: Value, range: readonly [number, number] | undefined): Value {
  if (!range || typeof value !== 'number') return value;
  return Math.max(range[0], Math.min(value, range[1])) as Value & number;
}

/**
 * Maps a seed into the range: equal seeds stay equal, and different seeds rarely collide. Without a range, only seeds
 * are mapped that are not safe integers: rounding may have changed them to a number that exceeds 64 bits.
 */
function seedWithin<Value>(value: Value, range: readonly [number, number] | undefined): Value {
  if (typeof value !== 'number') return value;
  const [least, most] = range ?? [Number.isSafeInteger(value) ? value : 0, Number.MAX_SAFE_INTEGER];
  if (value >= least && value <= most) return value;
  const size = most - least + 1;
  return (least + ((((value - least) % size) + size) % size)) as Value & number;
}

/**
 * Returns the stop sequences of a request; undefined without any.
 * @throws {GatewayError} 400 if the model does not support stop sequences
 */
export function stopSequences(
  { stop_sequences: sequences }: MessagesRequest,
  { supportedParameters }: SamplingTarget,
): string[] | undefined {
  if (!sequences?.length) return undefined;
  if (supportedParameters.includes('stop')) return sequences;
  throw invalidRequest('stop_sequences', 'this model does not support stop sequences; leave them out');
}
