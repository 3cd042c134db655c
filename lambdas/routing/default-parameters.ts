import type { Model } from '../catalog/catalog.ts';
import type { ModelData } from '../catalog/schema.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { acceptsSampling } from '../providers/client-headers.ts';
import type { ClientHeaders } from '../providers/wire.ts';

/** The model's defaults that have a value. */
export function defaultParameters({ default_parameters: defaults }: ModelData): Record<string, number> {
  const entries = Object.entries(defaults ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/**
 * The request with the model's default parameters where the client sent none. A model that Anthropic's wire reaches gets
 * none in versions of the Messages API that refuse them; on chat completions they work whatever the client speaks.
 */
export function withDefaultParameters(request: MessagesRequest, model: Model, client: ClientHeaders): MessagesRequest {
  const isRefused = !acceptsSampling(client) && model.endpoints.some(({ wire }) => wire === 'anthropic');
  if (isRefused) return request;
  const missing = Object.entries(defaultParameters(model.data)).filter(([name]) => request[name] === undefined);
  return { ...request, ...Object.fromEntries(missing) };
}
