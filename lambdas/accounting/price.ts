import type { Pricing } from '../catalog/schema.ts';
import { pricesFor, pricesUpTo, type UnitPrices } from '../catalog/tiers.ts';
import { Money } from '../money/money.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

export interface Cost {
  total: Money;
  /** What caching saved against uncached input; negative when writing the cache cost more than it saved. */
  cacheSaved: Money;
}

/** Everything that is charged has one of these meters, and a price by it. */
export const meters = [
  'request',
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'reasoning',
  'search',
  'image',
  'video_second',
] as const;
export type Meter = (typeof meters)[number];

/** So many units of one meter, at the price of one. */
export interface MeteredUnits {
  meter: Meter;
  quantity: number;
  /** RUB for one. */
  price: Money;
}

/** Tokens that would have been charged at the price of uncached input if there were no caches. */
const cacheMeters: ReadonlySet<Meter> = new Set(['cache_read', 'cache_write', 'cache_write_1h']);

/** The units that a usage is charged for, at the prices of the tier that its prompt reaches; meters of which nothing was used are left out. */
export function meteredUnits(usage: TokenUsage, pricing: Pricing): MeteredUnits[] {
  return unitsAt(pricesFor(promptTokens(usage), pricing), usage, pricing);
}

function unitsAt(prices: UnitPrices, usage: TokenUsage, pricing: Pricing): MeteredUnits[] {
  const { reasoningTokens: thought = 0 } = usage;
  const reasoningTokens = prices.internal_reasoning ? thought : 0;
  const units: MeteredUnits[] = [];
  const add = (meter: Meter, quantity: number, price: Money | undefined) => {
    if (quantity !== 0 && price) units.push({ meter, quantity, price });
  };
  add('request', 1, pricing.request);
  add('input', usage.inputTokens, prices.prompt);
  add('cache_read', usage.cacheReadTokens ?? 0, prices.input_cache_read ?? prices.prompt);
  add('cache_write', usage.cacheWrite5mTokens ?? 0, cacheWritePrice(prices));
  add('cache_write_1h', usage.cacheWrite1hTokens ?? 0, prices.input_cache_write_1h ?? cacheWritePrice(prices));
  add('output', usage.outputTokens - reasoningTokens, completionPrice(prices, thought > 0));
  add('reasoning', reasoningTokens, prices.internal_reasoning);
  add('search', usage.searchRequests ?? 0, pricing.web_search);
  add('image', usage.pricedImages ?? 0, pricing.image);
  add('video_second', usage.videoSeconds ?? 0, pricing.video_second);
  return units;
}

/** The price of all of them, nothing rounded. */
export function costOfUnits(units: readonly MeteredUnits[]): Money {
  return Money.sum(units.map(({ quantity, price }) => price.times(quantity)));
}

/**
 * The exact price of a usage: whole tokens times prices of 10⁻¹² RUB, nothing rounded. Searches that a provider reports are cut to 0
 * before they come here (inference/messages/progress.ts, `begin`), because no provider is asked to search. The searches that the gateway
 * makes are added to the charge afterwards, once (`withSearches` in charge.ts).
 */
export function priceUsage(usage: TokenUsage, pricing: Pricing): Cost {
  const prices = pricesFor(promptTokens(usage), pricing);
  const units = unitsAt(prices, usage, pricing);
  const cached = units.filter(({ meter }) => cacheMeters.has(meter));
  const cacheSaved = Money.sum(cached.map(({ quantity, price }) => prices.prompt.minus(price).times(quantity)));
  return { total: costOfUnits(units), cacheSaved };
}

/** The longest-lived cache that a request asks to write: it decides what a token of the prompt may cost. */
export type CacheWrites = 'none' | '5m' | '1h';

/** Bounds of what a request can be billed for. */
export interface UsageBound {
  promptTokens: number;
  outputTokens: number;
  cacheWrites: CacheWrites;
  pricedImages: number;
  searchRequests: number;
  /** Known exactly before a video is asked for. */
  videoSeconds?: number | undefined;
}

/**
 * The most that a request can cost, given bounds of its usage: every input token at the dearest price that its input can
 * have, every output token at the dearest output price, in any tier that the prompt may reach.
 */
export function priceUpperBound(bound: UsageBound, pricing: Pricing): Money {
  const tiers = pricesUpTo(bound.promptTokens, pricing);
  const input = Money.max(Money.zero, ...tiers.map((prices) => dearestInput(prices, bound.cacheWrites)));
  const output = Money.max(
    Money.zero,
    ...tiers.map((prices) =>
      Money.max(prices.completion, completionPrice(prices, true), prices.internal_reasoning ?? Money.zero),
    ),
  );
  return Money.sum([
    pricing.request ?? Money.zero,
    input.times(bound.promptTokens),
    output.times(bound.outputTokens),
    (pricing.image ?? Money.zero).times(bound.pricedImages),
    (pricing.web_search ?? Money.zero).times(bound.searchRequests),
    (pricing.video_second ?? Money.zero).times(bound.videoSeconds ?? 0),
  ]);
}

/**
 * Lower bound on the cost of an answer: the fee of the request, images and seconds of video. Tokens and searches add nothing, because a
 * provider may report any number of tokens, and a model may search or not.
 */
export function priceLowerBound({ pricedImages, videoSeconds }: UsageBound, pricing: Pricing): Money {
  return priceUsage({ inputTokens: 0, outputTokens: 0, pricedImages, videoSeconds }, pricing).total;
}

/** The dearest price that one token of output can have after a prompt. */
export function outputUpperBound(bound: UsageBound, pricing: Pricing): Money {
  return priceUpperBound({ ...bound, outputTokens: 1 }, pricing).minus(
    priceUpperBound({ ...bound, outputTokens: 0 }, pricing),
  );
}

/** How many output tokens an amount pays for after the prompt's bound; 0 when it does not even pay for the prompt. */
export function affordableOutputTokens(amount: Money, bound: UsageBound, pricing: Pricing): number {
  const withoutOutput = priceUpperBound({ ...bound, outputTokens: 0 }, pricing);
  return Math.min(Number.MAX_SAFE_INTEGER, outputUpperBound(bound, pricing).unitsIn(amount.minus(withoutOutput)));
}

/** Writing a cache costs nothing when the request did not ask for it. */
function dearestInput(prices: UnitPrices, cacheWrites: CacheWrites): Money {
  const read = Money.max(prices.prompt, prices.input_cache_read ?? Money.zero);
  if (cacheWrites === 'none') return read;
  const written = Money.max(read, cacheWritePrice(prices));
  return cacheWrites === '5m' ? written : Money.max(written, prices.input_cache_write_1h ?? Money.zero);
}

/** Price of a token of the answer. A provider that charges more for thinking charges no more if the model did not think. */
function completionPrice({ completion, thinking_completion: afterThinking }: UnitPrices, hasThought: boolean): Money {
  return hasThought ? (afterThinking ?? completion) : completion;
}

function cacheWritePrice(prices: Pick<UnitPrices, 'prompt' | 'input_cache_write'>): Money {
  return prices.input_cache_write ?? prices.prompt;
}
