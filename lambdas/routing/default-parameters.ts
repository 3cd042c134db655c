import type { Model } from '../catalog/catalog.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { acceptsSampling } from '../providers/client-headers.ts';
import type { ClientHeaders } from '../providers/wire.ts';

/** The request with the model's default sampling where the client sent none. */
export function withDefaultParameters(request: MessagesRequest, model: Model, client: ClientHeaders): MessagesRequest {
  const defaults = model.data.default_parameters;
  if (!defaults || !acceptsSampling(client)) return request;
  const added: Partial<MessagesRequest> = {};
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    const value = defaults[name];
    if (request[name] === undefined && typeof value === 'number') added[name] = value;
  }
  return { ...request, ...added };
}
