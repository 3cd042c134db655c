/** Selects prices that depend on the length of the prompt. */

import { Money } from '../money/money.ts';
import type { PriceTier, Pricing } from './schema.ts';
import type { PriceName } from './unit-lists.ts';

export type UnitPrices = Omit<Pricing, 'overrides'>;

/** Returns the prices for a prompt of this length. */
export function pricesFor(promptTokens: number, pricing: Pricing): UnitPrices {
  const tier = tierOf(promptTokens, pricing);
  return tier ? pricesIn(tier, pricing) : pricing;
}

/** Returns the highest tier that a prompt reaches; undefined if the base prices apply. */
export function tierOf(promptTokens: number, pricing: Pricing): PriceTier | undefined {
  return reachableTiers(promptTokens, pricing).at(-1);
}

/** Returns all sets of prices that may apply to a prompt of at most this length. */
export function pricesUpTo(promptTokens: number, pricing: Pricing): UnitPrices[] {
  return [pricing, ...reachableTiers(promptTokens, pricing).map((tier) => pricesIn(tier, pricing))];
}

/** Returns the highest of the named prices; zero if there are none. */
export function highestPriceOf(prices: UnitPrices, names: readonly PriceName[]): Money {
  return Money.max(Money.zero, ...names.map((name) => prices[name] ?? Money.zero));
}

/** Returns the prices of a tier. A unit without a price in the tier has its base price. */
function pricesIn(tier: PriceTier, pricing: Pricing): UnitPrices {
  const { prompt = pricing.prompt, completion = pricing.completion, ...others } = tier;
  return { ...pricing, ...others, prompt, completion };
}

/** Returns the tiers whose threshold is below the number of prompt tokens, lowest threshold first. */
function reachableTiers(promptTokens: number, pricing: Pricing): PriceTier[] {
  return (pricing.overrides ?? [])
    .filter((tier) => promptTokens > tier.min_prompt_tokens)
    .sort((a, b) => a.min_prompt_tokens - b.min_prompt_tokens);
}
