import { Money } from '../money/money.ts';
import type { Endpoint } from './catalog.ts';
import type { Pricing } from './schema.ts';

/** Endpoints are compared by what a usual request costs: three tokens read for each one written, and its fee. */
const USUAL_PROMPT_TOKENS = 3_000;
const USUAL_COMPLETION_TOKENS = 1_000;

export type Priced<Item> = Item & { pricing: Pricing };

type Paid = Partial<Pick<Endpoint, 'serviceCost'>>;

/**
 * The order in which endpoints are tried: the cheapest first (of a free model: the one that costs the service least), those of equal price in the order given. Endpoints without
 * a price are left out, because they are never routed to.
 *
 * Guarantee: the first one is the default route, whose price the catalog shows; both follow from this one function.
 */
export function cheapestFirst<Item extends Pick<Endpoint, 'pricing'> & Paid>(items: readonly Item[]): Priced<Item>[] {
  const priced = items.filter((item): item is Priced<Item> => item.pricing !== undefined);
  // Sorting is stable, so that equals keep their order.
  return priced.toSorted((a, b) => usualCost(paidPrices(a)).compare(usualCost(paidPrices(b))));
}

/** What somebody pays for an endpoint: its client, or on free models the service. */
export function paidPrices({ pricing, serviceCost }: Priced<Paid>): Pricing {
  return serviceCost ?? pricing;
}

/** What a usual request costs. */
export function usualCost({ prompt, completion, request }: Pricing): Money {
  return prompt
    .times(USUAL_PROMPT_TOKENS)
    .plus(completion.times(USUAL_COMPLETION_TOKENS))
    .plus(request ?? Money.zero);
}
