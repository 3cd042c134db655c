import { priceLowerBound } from '../../accounting/price.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { NewGeneration } from '../../admission/new-generation.ts';
import { Money } from '../../money/money.ts';
import type { LeftOutEndpoints } from '../../routing/left-out.ts';
import { askedTerms } from '../asked/answer-asked.ts';
import { mostOf, type AskedOffer } from '../asked/offers.ts';
import {
  costAt,
  estimateOf,
  foreseeInference,
  type CandidateCost,
  type Estimate,
  type EstimateInput,
} from './estimate.ts';

/** Estimates an answer of several requests to a provider. @throws {GatewayError} 401 and 403 for who may spend nothing */
export async function estimateAsked(
  input: EstimateInput,
  apiType: NewGeneration['apiType'],
  offers: readonly AskedOffer[],
  leftOut: LeftOutEndpoints,
): Promise<Estimate> {
  const terms = askedTerms(apiType, offers);
  const foreseen = await foreseeInference(input, terms);
  const costs = offers.map(costOf);
  return estimateOf(foreseen, terms.estimatedTokens, costs, leftOut);
}

function costOf(offer: AskedOffer): CandidateCost {
  const { candidate, bounds, bytes } = offer;
  const least = Money.sum(bounds.map((bound) => priceLowerBound(bound, candidate.pricing)));
  return costAt(candidate, estimateTokens(bytes), { least, most: mostOf(offer) });
}
