import type { EmbeddingEngine, EmbeddingTarget } from '../providers/embeddings/engine.ts';
import { embeddingEngine } from '../providers/embeddings/engines.ts';
import { engineTarget, usableEndpoints, type RoutingInput, type UsableEndpoint } from './usable-endpoints.ts';

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
  const engine = embeddingEngine(usable.endpoint.wire);
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
