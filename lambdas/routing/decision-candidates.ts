import type { DecisionEngine } from '../providers/decisions/engine.ts';
import { decisionEngine } from '../providers/decisions/engines.ts';
import type { WireTarget } from '../providers/wire.ts';
import { engineTarget, usableEndpoints, type RoutingInput, type UsableEndpoint } from './usable-endpoints.ts';

/** An endpoint that can answer questions now. */
export interface DecisionCandidate extends UsableEndpoint {
  engine: DecisionEngine;
  target: WireTarget;
}

/** Endpoints that can answer questions with the models of a request; see `usableEndpoints`. */
export function decisionCandidates(input: RoutingInput): Promise<DecisionCandidate[]> {
  return usableEndpoints(input, { makes: 'decisions', toCandidate: toDecisionCandidate });
}

function toDecisionCandidate(usable: UsableEndpoint): DecisionCandidate | undefined {
  const engine = decisionEngine(usable.endpoint.wire);
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
