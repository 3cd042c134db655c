import { LeftOutEndpoints } from '../../routing/left-out.ts';
import type { AskedCandidate } from '../asked/offers.ts';
import { estimateAsked } from '../estimates/estimate-asked.ts';
import type { Estimate, EstimateInput } from '../estimates/estimate.ts';
import { protectionOf } from '../protection-of.ts';
import type { AskedModality } from './modality.ts';
import { routeAsked } from './routed.ts';

/** Estimates a request. @throws {GatewayError} what it is refused with before its hold */
export async function estimateModality<Body, Task, Candidate extends AskedCandidate, Answer, Result>(
  modality: AskedModality<Body, Task, Candidate, Answer, Result>,
  input: EstimateInput<Body>,
): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const protection = protectionOf(input);
  const { offers } = await routeAsked(modality, input, { protection, leaveOut: leftOut.add });
  return estimateAsked(input, modality.apiType, offers, leftOut);
}
