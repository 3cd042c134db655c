import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';

/** Not in the Messages API, but most models on chat completions have them. */
const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;

/**
 * Penalties that the model lists or has a default of.
 * @throws {GatewayError} 400 for one that is not a number.
 */
export function penaltyFields(request: MessagesRequest, { supportedParameters }: WireTarget): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const name of penalties) {
    const value = request[name];
    if (value === undefined || !supportedParameters.includes(name)) continue;
    if (typeof value !== 'number') throw invalidRequest(name, 'must be a number');
    fields[name] = value;
  }
  return fields;
}
