import { Money } from '../money/money.ts';
import type { Endpoint } from './catalog.ts';
import type { Pricing } from './schema.ts';

/** Endpoints are compared by what a usual request costs: three tokens read for each one written, and its fee. */
const TYPICAL_PROMPT_TOKENS = 3_000;
const TYPICAL_COMPLETION_TOKENS = 1_000;

export type Priced<Item> = Item & { pricing: Pricing };

type Paid = Partial<Pick<Endpoint, 'serviceCost'>>;

/** What somebody pays for an endpoint: its client, or where that pays nothing the service. */
export function paidPrices({ pricing, serviceCost }: Priced<Paid>): Pricing {
  return serviceCost && typicalCost(pricing).isZero ? serviceCost : pricing;
}

/** What a usual request costs. */
export function typicalCost({ prompt, completion, request }: Pricing): Money {
  return prompt
    .times(TYPICAL_PROMPT_TOKENS)
    .plus(completion.times(TYPICAL_COMPLETION_TOKENS))
    .plus(request ?? Money.zero);
}

/** It may be routed to: what has no price never is. */
export function hasPrice(endpoint: Endpoint): endpoint is Priced<Endpoint> {
  return endpoint.pricing !== undefined;
}
