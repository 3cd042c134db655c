/** Finds the prices for a prompt, because prices may depend on its length. */

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

/** Returns the highest of the named prices in all sets; zero if there are none. */
export function highestPriceOf(sets: readonly UnitPrices[], names: readonly PriceName[]): Money {
  let highest = Money.zero;
  for (const prices of sets) for (const name of names) highest = Money.max(highest, prices[name] ?? Money.zero);
  return highest;
}

/** Returns the prices of a tier. A unit without a price in the tier has its base price. */
function pricesIn(tier: PriceTier, pricing: Pricing): UnitPrices {
  const { prompt = pricing.prompt, completion = pricing.completion, ...others } = tier;
  return { ...pricing, ...others, prompt, completion };
}

/** Returns the tiers that a prompt reaches, the lowest threshold first. The prompt must exceed the threshold. */
function reachableTiers(promptTokens: number, pricing: Pricing): PriceTier[] {
  return (pricing.overrides ?? [])
    .filter((tier) => promptTokens > tier.min_prompt_tokens)
    .sort((a, b) => a.min_prompt_tokens - b.min_prompt_tokens);
}
