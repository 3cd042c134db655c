import { Money } from '../money/money.ts';
import type { Endpoint } from './catalog.ts';
import type { Pricing } from './schema.ts';

/** Size of a typical request, used to compare the costs of endpoints: three prompt tokens per token of the answer. */
const TYPICAL_PROMPT_TOKENS = 3_000;
const TYPICAL_COMPLETION_TOKENS = 1_000;

export type Priced<Item> = Item & { pricing: Pricing };

type Paid = Partial<Pick<Endpoint, 'serviceCost'>>;

/**
 * Returns the prices by which endpoints are compared: the client's prices, or the operator's prices if the client pays
 * nothing.
 */
export function paidPrices({ pricing, serviceCost }: Priced<Paid>): Pricing {
  return serviceCost && typicalCost(pricing).isZero ? serviceCost : pricing;
}

/** Returns the cost of a typical request, including the fee per request. */
export function typicalCost({ prompt, completion, request }: Pricing): Money {
  return prompt
    .times(TYPICAL_PROMPT_TOKENS)
    .plus(completion.times(TYPICAL_COMPLETION_TOKENS))
    .plus(request ?? Money.zero);
}

/** Returns whether the endpoint has a price. Endpoints without a price get no requests. */
export function hasPrice(endpoint: Endpoint): endpoint is Priced<Endpoint> {
  return endpoint.pricing !== undefined;
}
