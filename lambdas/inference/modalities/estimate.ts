import { ExclusionList } from '../../routing/exclusions.ts';
import { estimateBatch } from '../estimates/estimate-batch.ts';
import type { Estimate, EstimateInput } from '../estimates/estimate.ts';
import { protectionOf } from '../protection-of.ts';
import type { BatchModality } from './modality.ts';
import { routeBatch } from './routed.ts';

/** Estimates a request. @throws {GatewayError} what it is refused with before its hold */
export async function estimateModality<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  input: EstimateInput<Body>,
): Promise<Estimate> {
  const exclusions = new ExclusionList();
  const protection = protectionOf(input);
  const { offers } = await routeBatch(modality, input, { protection, onExcluded: exclusions.add });
  return estimateBatch(input, modality.apiType, offers, exclusions);
}
