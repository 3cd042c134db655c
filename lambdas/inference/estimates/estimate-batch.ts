import { priceLowerBound } from '../../accounting/price.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { NewGeneration } from '../../admission/new-generation.ts';
import { Money } from '../../money/money.ts';
import type { ExclusionList } from '../../routing/exclusions.ts';
import { batchTerms } from '../batch/run-batch.ts';
import { maxCostOf, type BatchOffer } from '../batch/offers.ts';
import {
  costAt,
  estimateOf,
  previewInference,
  type CandidateCost,
  type Estimate,
  type EstimateInput,
} from './estimate.ts';

/** Estimates an answer of several requests to a provider. @throws {GatewayError} 401 and 403 for who may spend nothing */
export async function estimateBatch(
  input: EstimateInput,
  apiType: NewGeneration['apiType'],
  offers: readonly BatchOffer[],
  exclusions: ExclusionList,
): Promise<Estimate> {
  const terms = batchTerms(apiType, offers);
  const preview = await previewInference(input, terms);
  const costs = offers.map(costOf);
  return estimateOf(preview, terms.estimatedTokens, costs, exclusions);
}

function costOf(offer: BatchOffer): CandidateCost {
  const { candidate, bounds, bytes } = offer;
  const least = Money.sum(bounds.map((bound) => priceLowerBound(bound, candidate.pricing)));
  return costAt(candidate, estimateTokens(bytes), { least, most: maxCostOf(offer) });
}
