import { priceLowerBound } from '../../accounting/price.ts';
import { promptTokens } from '../../accounting/usage.ts';
import { Money } from '../../money/money.ts';
import { ExclusionList } from '../../routing/exclusions.ts';
import { maxCostOf, type BatchOffer } from '../batch/offers.ts';
import { batchTerms } from '../batch/run-batch.ts';
import { costAt, estimateOf, previewInference, type Estimate, type EstimateInput } from '../estimates/estimate.ts';
import { protectionOf } from '../protection-of.ts';
import type { BatchModality } from './modality.ts';
import { preparedInput, routeBatch } from './routed.ts';

/**
 * Estimates the cost of a request at each candidate.
 * @throws {GatewayError} for the reasons for which a real request is refused before its hold
 */
export async function estimateModality<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  received: EstimateInput<Body>,
): Promise<Estimate> {
  const input = await preparedInput(modality, received);
  const exclusions = new ExclusionList();
  const { offers } = await routeBatch(modality, input, { protection: protectionOf(input), onExcluded: exclusions.add });
  const terms = batchTerms(modality.apiType, offers);
  const preview = await previewInference(input, terms);
  return estimateOf(preview, promptTokens(terms.prompt), offers.map(costOf), exclusions);
}

function costOf(offer: BatchOffer) {
  const { candidate, bounds, input } = offer;
  const least = Money.sum(bounds.map((bound) => priceLowerBound(bound, candidate.pricing)));
  return costAt(candidate, input, { least, most: maxCostOf(offer) });
}
