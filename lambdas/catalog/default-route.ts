import { Money } from '../money/money.ts';
import type { Endpoint } from './catalog.ts';
import type { Pricing } from './schema.ts';
import type { OtherPriceName } from './unit-lists.ts';

/** Size of a typical request, used to compare the costs of endpoints: three prompt tokens per token of the answer. */
const TYPICAL_PROMPT_TOKENS = 3_000;
const TYPICAL_COMPLETION_TOKENS = 1_000;
/** Units of a typical request to a model that is priced by piece. */
const TYPICAL_PIECES = Object.entries({
  request: 1,
  song: 1,
  output_image: 1,
  search_unit: 1,
  character: 3_000,
  audio_second: 60,
} satisfies Partial<Record<OtherPriceName, number>>) as [OtherPriceName, number][];

export type Priced<Item> = Item & { pricing: Pricing };

type Paid = Partial<Pick<Endpoint, 'serviceCost'>>;

/**
 * Returns the prices by which endpoints are compared: the client's prices, or the operator's prices if the client pays
 * nothing.
 */
export function paidPrices({ pricing, serviceCost }: Priced<Paid>): Pricing {
  return serviceCost && isFree(pricing) ? serviceCost : pricing;
}

/** Returns whether every price of every unit is zero, in all tiers. */
export function isFree({ overrides = [], ...prices }: Pricing): boolean {
  return [prices, ...overrides].flatMap(Object.values).every((price) => !(price instanceof Money) || price.isZero);
}

/** Returns the cost of a typical request, including the fee per request and the pieces that an answer consists of. */
export function typicalCost({ prompt, completion, ...others }: Pricing): Money {
  return Money.sum([
    prompt.times(TYPICAL_PROMPT_TOKENS),
    completion.times(TYPICAL_COMPLETION_TOKENS),
    ...TYPICAL_PIECES.map(([name, count]) => (others[name] ?? Money.zero).times(count)),
  ]);
}

/** Returns whether the endpoint has a price. Endpoints without a price get no requests. */
export function hasPrice(endpoint: Endpoint): endpoint is Priced<Endpoint> {
  return endpoint.pricing !== undefined;
}
