import type { DecisionsRequest } from '../../decisions/schema.ts';
import { LeftOutEndpoints } from '../../routing/left-out.ts';
import { decisionOffers } from '../decisions/answer-decision.ts';
import { protectionOf } from '../protection-of.ts';
import { routeDecision } from '../decisions/routed-decision.ts';
import { estimateAsked } from './estimate-asked.ts';
import type { Estimate, EstimateInput } from './estimate.ts';

/** Estimates decisions. @throws {GatewayError} what they are refused with before their hold */
export async function estimateDecision(input: EstimateInput<DecisionsRequest>): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const { task, candidates } = await routeDecision(input.body, {
    caller: input.caller,
    protection: protectionOf(input),
    leaveOut: leftOut.add,
  });
  return estimateAsked(input, 'decisions', decisionOffers(candidates, task, leftOut.add), leftOut);
}
