import { estimateTokens } from '../../accounting/usage.ts';
import { admit, type Admitted } from '../../admission/admit.ts';
import { newGeneration } from '../../admission/new-generation.ts';
import { refusalError } from '../../admission/refusal.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import { resources } from '../../resources.ts';
import type { InferenceInput } from '../inference-input.ts';
import { planOf, type DecisionOffer } from './offers.ts';

export type DecisionInput = InferenceInput<DecisionsRequest>;

/** @throws {GatewayError} when the request is not admitted; nothing is held then */
export async function holdForDecision(
  { caller, generationId, request, clientLeft }: DecisionInput,
  offers: readonly DecisionOffer[],
): Promise<Admitted> {
  const [{ candidate, bytes }] = offers as [DecisionOffer];
  const generation = newGeneration({
    id: generationId,
    payer: caller.payer,
    apiType: 'decisions',
    streamed: false,
    estimatedTokens: estimateTokens(bytes),
    candidate,
    catalog: resources.catalog(),
    bootId: resources.bootId(),
  });
  const result = await admit(resources.table(), {
    request: { generation, scopes: caller.scopes },
    plan: planOf(offers),
    recount: () => Promise.resolve(undefined),
    // Every token of an answer is needed.
    leastMaxTokens: Infinity,
    receivedAtMs: request.receivedAtMs,
    clientLeft,
  });
  if ('refused' in result) throw refusalError(result.refused.refusal, result.refused.request);
  return result.admitted;
}
