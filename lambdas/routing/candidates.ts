import type { MessagesWire, WireTarget } from '../providers/wire.ts';
import { messagesWire } from '../providers/wires.ts';
import { defaultParameters } from './default-parameters.ts';
import { usableEndpoints, type RoutingInput, type UsableEndpoint } from './usable-endpoints.ts';

/** An endpoint that can answer messages now. */
export interface Candidate extends UsableEndpoint {
  wire: MessagesWire;
  target: WireTarget;
}

/** Endpoints that can answer messages for the models of a request; see `usableEndpoints`. */
export function messagesCandidates(input: RoutingInput): Promise<Candidate[]> {
  return usableEndpoints(input, { makes: 'text', toCandidate: toMessagesCandidate });
}

function toMessagesCandidate(usable: UsableEndpoint): Candidate | undefined {
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
      // A default for a parameter implies that the model supports it.
      supportedParameters: [...endpoint.supportedParameters, ...Object.keys(defaultParameters(model.data))],
      quirks: endpoint.quirks,
    },
  };
}
