import { Money } from '../money/money.ts';
import type { Endpoint } from './catalog.ts';
import type { Pricing } from './schema.ts';
import { otherUnits, priceNameOf } from './unit-lists.ts';

/** A typical request, by which endpoints are compared, has three prompt tokens per token of the answer. */
const TYPICAL_PROMPT_TOKENS = 3_000;
const TYPICAL_COMPLETION_TOKENS = 1_000;
const typicalUnits = otherUnits.flatMap((unit) =>
  unit.typical ? [{ name: priceNameOf(unit), count: unit.typical }] : [],
);
export type Priced<Item> = Item & { pricing: Pricing };

type Paid = Partial<Pick<Endpoint, 'serviceCost'>>;

/** Returns the prices by which endpoints are compared: the client's, or the operator's if the client pays nothing. */
export function paidPrices({ pricing, serviceCost }: Priced<Paid>): Pricing {
  return serviceCost && isFree(pricing) ? serviceCost : pricing;
}

/** Whether every price of every unit is zero, in all tiers. */
export function isFree({ overrides = [], ...prices }: Pricing): boolean {
  return [prices, ...overrides].flatMap(Object.values).every((price) => !(price instanceof Money) || price.isZero);
}

/** Returns the cost of a typical request. */
export function typicalCost(prices: Pricing): Money {
  return Money.sum([
    prices.prompt.times(TYPICAL_PROMPT_TOKENS),
    prices.completion.times(TYPICAL_COMPLETION_TOKENS),
    ...typicalUnits.map(({ name, count }) => (prices[name] ?? Money.zero).times(count)),
  ]);
}

/** Whether an endpoint has prices. Endpoints without prices get no requests. */
export function hasPrice(endpoint: Endpoint): endpoint is Priced<Endpoint> {
  return endpoint.pricing !== undefined;
}
