import type { Model } from '../catalog/catalog.ts';
import type { ModelData } from '../catalog/schema.ts';
import { factsOf } from '../catalog/wires.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { isNewVersion } from '../providers/client-headers.ts';
import type { ClientHeaders } from '../providers/wire.ts';

/** Returns the model's default parameters that are numbers. */
export function defaultParameters({ default_parameters: defaults }: ModelData): Record<string, number> {
  const entries = Object.entries(defaults ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/**
 * Adds the model's default parameters that the client did not set. Adds none if one of the model's provider formats
 * (wires) rejects sampling parameters from this client.
 */
export function withDefaultParameters(request: MessagesRequest, model: Model, client: ClientHeaders): MessagesRequest {
  const isRefused =
    isNewVersion(client) && model.endpoints.some(({ wire }) => factsOf(wire).messages?.refusesSampling === true);
  if (isRefused) return request;
  const missing = Object.entries(defaultParameters(model.data)).filter(([name]) => request[name] === undefined);
  return { ...request, ...Object.fromEntries(missing) };
}
