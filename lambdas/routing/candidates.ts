import type { MessagesWire, WireTarget } from '../providers/wire.ts';
import { messagesWire } from '../providers/wires.ts';
import { defaultParameters } from './default-parameters.ts';
import { refuseUnknownNames } from './endpoint-names.ts';
import type { RequestedRoute } from './requested-route.ts';
import { endpointsOnRoute, type RoutingInput, type UsableEndpoint } from './usable-endpoints.ts';

export interface Candidate extends UsableEndpoint {
  wire: MessagesWire;
  target: WireTarget;
}

/**
 * Returns the endpoints that can answer a message, in the order of attempts.
 * @throws {GatewayError} the errors of `endpointsOnRoute`; 400 for an unknown provider
 */
export async function messagesCandidates(route: RequestedRoute, input: RoutingInput): Promise<Candidate[]> {
  refuseUnknownNames(route.catalog, route.preferences);
  return endpointsOnRoute(route, input, { makes: 'text', toCandidate: toMessagesCandidate });
}

export function toMessagesCandidate(usable: UsableEndpoint): Candidate | undefined {
  const { model, endpoint } = usable;
  const wire = messagesWire(endpoint.wire);
  if (!wire) return undefined;
  return {
    ...usable,
    wire,
    target: {
      providerId: endpoint.provider.id,
      upstreamModel: endpoint.upstreamModel,
      maxOutputTokens: endpoint.maxOutputTokens,
      inputModalities: endpoint.inputModalities,
      // A model that has a default for a parameter supports the parameter.
      supportedParameters: [...endpoint.supportedParameters, ...Object.keys(defaultParameters(model.data))],
      quirks: endpoint.quirks,
    },
  };
}
