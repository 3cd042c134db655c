import type { EmbeddingEngine, EmbeddingTarget } from '../providers/embeddings/engine.ts';
import { embeddingEngine } from '../providers/embeddings/engines.ts';
import { usableEndpoints, type RoutingInput, type UsableEndpoint } from './usable-endpoints.ts';

/** An endpoint that can embed now. */
export interface EmbeddingCandidate extends UsableEndpoint {
  engine: EmbeddingEngine;
  target: EmbeddingTarget;
}

/** Endpoints that can embed with the model of a request; see `usableEndpoints`. */
export function embeddingCandidates(input: RoutingInput): Promise<EmbeddingCandidate[]> {
  return usableEndpoints(input, { makes: 'embeddings', toCandidate: toEmbeddingCandidate });
}

function toEmbeddingCandidate(usable: UsableEndpoint): EmbeddingCandidate | undefined {
  const { endpoint } = usable;
  const engine = embeddingEngine(endpoint.wire);
  if (!engine) return undefined;
  const { provider, upstreamModel, maxOutputTokens, supportedParameters, quirks } = endpoint;
  return {
    ...usable,
    engine,
    target: { providerId: provider.id, upstreamModel, maxOutputTokens, supportedParameters, quirks },
  };
}
