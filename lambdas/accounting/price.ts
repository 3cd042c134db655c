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
  /** Amount saved by caching; negative if cache writes cost more than cache reads saved. */
  cacheSaved: Money;
}

export interface MeteredUnits {
  meter: Meter;
  quantity: number;
  price: Money;
}

const cacheMeters: ReadonlySet<Meter> = new Set(promptUnits.flatMap(({ meter, cache }) => (cache ? meter : [])));

const [restOfAnswer] = completionUnits;

/** Returns the billed units that have a price, in the tier that the prompt reaches. */
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

export function costOfUnits(units: readonly MeteredUnits[]): Money {
  return Money.sum(units.map(({ quantity, price }) => price.times(quantity)));
}

/** Returns the exact price of a usage, without rounding. */
export function priceUsage(usage: TokenUsage, pricing: Pricing): Cost {
  const prices = pricesFor(promptTokens(usage), pricing);
  const units = unitsAt(prices, usage);
  const cached = units.filter(({ meter }) => cacheMeters.has(meter));
  const cacheSaved = Money.sum(cached.map(({ quantity, price }) => prices.prompt.minus(price).times(quantity)));
  return { total: costOfUnits(units), cacheSaved };
}

/** Longest cache lifetime that the client requests, or '5m' if the provider may cache by itself. */
export type CacheWrites = 'none' | '5m' | '1h';

type PieceCounts = { [Field in PieceField]?: number | undefined };

/** Upper bounds on the usage for which a request can be billed. A unit without a bound cannot be billed. */
export interface UsageBound extends PieceCounts {
  promptTokens: number;
  outputTokens: number;
  cacheWrites: CacheWrites;
  /** Whether cache writes without a reported lifetime have the price of one hour. */
  writesForAnHour?: boolean;
  /** Estimated tokens of the prompt's recordings, charged if the provider does not report their number. */
  recordingTokens?: number;
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
  const input = highestPriceOf(pricesUpTo(bound.promptTokens, pricing), possibleInput[bound.cacheWrites]);
  return Money.sum([
    pricing.request ?? Money.zero,
    input.times(bound.promptTokens),
    outputUpperBound(bound, pricing).times(bound.outputTokens),
    ...pieces.map((unit) => (pricing[priceNameOf(unit)] ?? Money.zero).times(bound[unit.usage] ?? 0)),
  ]);
}

/** Returns the part of `priceUpperBound` for the prompt and the request's fee, without the answer and its searches. */
export function inputUpperBound(bound: UsageBound, pricing: Pricing): Money {
  const input = { ...bound, outputTokens: 0 };
  for (const { usage: field, ofPrompt } of pieces) if (!ofPrompt) input[field] = 0;
  return priceUpperBound(input, pricing);
}

/**
 * Returns the minimum cost of an answer: the fee of the request, and units whose number the request determines, such as
 * images in the prompt.
 */
export function priceLowerBound(bound: UsageBound, pricing: Pricing): Money {
  const least: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (const { usage: field, counted } of pieces) if (counted === 'before') least[field] = bound[field];
  return priceUsage(least, pricing).total;
}

export function outputUpperBound({ promptTokens }: Pick<UsageBound, 'promptTokens'>, pricing: Pricing): Money {
  return highestPriceOf(pricesUpTo(promptTokens, pricing), possibleOutput);
}

/** Returns the number of output tokens that an amount pays for, after the upper bound for the prompt is subtracted. */
export function affordableOutputTokens(amount: Money, bound: UsageBound, pricing: Pricing): number {
  const withoutOutput = priceUpperBound({ ...bound, outputTokens: 0 }, pricing);
  return Math.min(Number.MAX_SAFE_INTEGER, outputUpperBound(bound, pricing).unitsIn(amount.minus(withoutOutput)));
}

/** Names of the prices that may apply to a prompt token, by the longest cache lifetime that the request may use. */
const possibleInput: Record<CacheWrites, readonly PriceName[]> = {
  none: tokenPriceNames(promptUnits.filter(({ cache }) => cache !== '5m' && cache !== '1h')),
  '5m': tokenPriceNames(promptUnits.filter(({ cache }) => cache !== '1h')),
  '1h': tokenPriceNames(promptUnits),
};
const possibleOutput = tokenPriceNames(completionUnits);
