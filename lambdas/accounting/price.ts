import type { Pricing } from '../catalog/schema.ts';
import { highestPriceOf, pricesFor, pricesUpTo, type UnitPrices } from '../catalog/tiers.ts';
import {
  billingUnits,
  completionParts,
  completionUnits,
  pieces,
  priceNameOf,
  promptUnits,
  tokenPriceNames,
  type BillingUnit,
  type Meter,
  type PieceField,
  type PriceName,
} from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

export interface Cost {
  total: Money;
  /** Savings by caching compared to uncached input. Negative if cache writes cost more than cache reads saved. */
  cacheSaved: Money;
}

/** A quantity of one meter's units, and the price of one unit. */
export interface MeteredUnits {
  meter: Meter;
  quantity: number;
  /** Price in RUB per unit. */
  price: Money;
}

/** Meters (kinds of units) of cached tokens. Without caching, these tokens would have the price of uncached input. */
const cacheMeters: ReadonlySet<Meter> = new Set(promptUnits.flatMap(({ meter, cache }) => (cache ? meter : [])));

const [restOfAnswer] = completionUnits;

/**
 * Returns the billed units of a usage, at the prices of the tier that its prompt reaches. Meters that are unused or
 * have no price are omitted.
 */
export function meteredUnits(usage: TokenUsage, pricing: Pricing): MeteredUnits[] {
  return unitsAt(pricesFor(promptTokens(usage), pricing), usage);
}

function unitsAt(prices: UnitPrices, usage: TokenUsage): MeteredUnits[] {
  const units: MeteredUnits[] = [];
  for (const unit of billingUnits) {
    const quantity = chargedQuantity(unit, usage, prices);
    const price = quantity === 0 ? undefined : chargedPrice(unit, usage, prices);
    if (price) units.push({ meter: unit.meter, quantity, price });
  }
  return units;
}

function chargedQuantity(unit: BillingUnit, usage: TokenUsage, prices: UnitPrices): number {
  if (unit.part === 'fee') return 1;
  let quantity = usage[unit.usage] ?? 0;
  if (unit === restOfAnswer) {
    for (const part of completionParts) if (prices[priceNameOf(part)]) quantity -= usage[part.usage] ?? 0;
  }
  return quantity;
}

function chargedPrice(unit: BillingUnit, usage: TokenUsage, prices: UnitPrices): Money | undefined {
  if (unit === restOfAnswer) {
    for (const { usage: field, rest } of completionParts) {
      const price = rest && usage[field] ? prices[rest.price] : undefined;
      if (price) return price;
    }
  }
  for (const name of unit.prices) {
    const price = prices[name];
    if (price) return price;
  }
  return undefined;
}

/** Returns the total price of units, without rounding. */
export function costOfUnits(units: readonly MeteredUnits[]): Money {
  return Money.sum(units.map(({ quantity, price }) => price.times(quantity)));
}

/**
 * Returns the exact price of a usage: whole tokens times prices with a precision of 10⁻¹² RUB, without rounding.
 * Searches that a provider reports are set to 0 before this call (inference/messages/progress.ts, `begin`), because the
 * gateway never enables a provider's own search. `withSearches` in charge.ts adds the gateway's own searches to the
 * charge, once.
 */
export function priceUsage(usage: TokenUsage, pricing: Pricing): Cost {
  const prices = pricesFor(promptTokens(usage), pricing);
  const units = unitsAt(prices, usage);
  const cached = units.filter(({ meter }) => cacheMeters.has(meter));
  const cacheSaved = Money.sum(cached.map(({ quantity, price }) => prices.prompt.minus(price).times(quantity)));
  return { total: costOfUnits(units), cacheSaved };
}

/**
 * Longest cache lifetime that the client requests, or '5m' if the provider may cache by itself. It determines the
 * maximum price of a prompt token.
 */
export type CacheWrites = 'none' | '5m' | '1h';

type PieceCounts = { [Field in PieceField]?: number | undefined };

/** Upper bounds on the usage for which a request can be billed. A unit without a bound cannot be billed. */
export interface UsageBound extends PieceCounts {
  promptTokens: number;
  outputTokens: number;
  cacheWrites: CacheWrites;
  /**
   * Whether each requested cache is kept for an hour. Cache writes whose lifetime the provider does not report then
   * have the price of one hour.
   */
  writesForAnHour?: boolean;
}

/** Returns the bound of two requests together. Both must use the same caches. */
export function addBounds(a: UsageBound, b: UsageBound): UsageBound {
  const sum = { ...a, promptTokens: a.promptTokens + b.promptTokens, outputTokens: a.outputTokens + b.outputTokens };
  for (const { usage: field } of pieces) sum[field] = (a[field] ?? 0) + (b[field] ?? 0);
  return sum;
}

/**
 * Returns the maximum cost of a request within its usage bound. Every input and output token has the most expensive
 * price of all tiers that the prompt may reach.
 */
export function priceUpperBound(bound: UsageBound, pricing: Pricing): Money {
  const tiers = pricesUpTo(bound.promptTokens, pricing);
  const input = Money.max(
    Money.zero,
    ...tiers.map((prices) => highestPriceOf(prices, possibleInput[bound.cacheWrites])),
  );
  const output = Money.max(Money.zero, ...tiers.map((prices) => highestPriceOf(prices, possibleOutput)));
  return Money.sum([
    pricing.request ?? Money.zero,
    input.times(bound.promptTokens),
    output.times(bound.outputTokens),
    ...pieces.map((unit) => (pricing[priceNameOf(unit)] ?? Money.zero).times(bound[unit.usage] ?? 0)),
  ]);
}

/** Returns the part of `priceUpperBound` for the prompt and the fee, without pieces of the answer such as a song. */
export function inputUpperBound(bound: UsageBound, pricing: Pricing): Money {
  const input = { ...bound, outputTokens: 0 };
  for (const { usage: field, ofPrompt } of pieces) if (!ofPrompt) input[field] = 0;
  return priceUpperBound(input, pricing);
}

/**
 * Returns the minimum cost of an answer: the fee of the request, and units whose number the request determines, such as
 * images in the prompt. Other units add nothing: a provider might report no tokens, and a model might not search.
 */
export function priceLowerBound(bound: UsageBound, pricing: Pricing): Money {
  const least: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (const { usage: field, counted } of pieces) if (counted === 'before') least[field] = bound[field];
  return priceUsage(least, pricing).total;
}

/** Returns the maximum amount by which one more output token raises the price of a request. */
export function outputUpperBound(bound: UsageBound, pricing: Pricing): Money {
  return priceUpperBound({ ...bound, outputTokens: 1 }, pricing).minus(
    priceUpperBound({ ...bound, outputTokens: 0 }, pricing),
  );
}

/**
 * Returns the number of output tokens that an amount pays for, after the upper bound for the prompt is subtracted.
 * Returns 0 if the amount does not cover the prompt.
 */
export function affordableOutputTokens(amount: Money, bound: UsageBound, pricing: Pricing): number {
  const withoutOutput = priceUpperBound({ ...bound, outputTokens: 0 }, pricing);
  return Math.min(Number.MAX_SAFE_INTEGER, outputUpperBound(bound, pricing).unitsIn(amount.minus(withoutOutput)));
}

/**
 * Price names that may apply to a prompt token. The price of a cache write applies only if the client requested the
 * write, or if the provider caches by itself.
 */
const possibleInput: Record<CacheWrites, readonly PriceName[]> = {
  none: tokenPriceNames(promptUnits.filter(({ cache }) => cache !== '5m' && cache !== '1h')),
  '5m': tokenPriceNames(promptUnits.filter(({ cache }) => cache !== '1h')),
  '1h': tokenPriceNames(promptUnits),
};
const possibleOutput = tokenPriceNames(completionUnits);
