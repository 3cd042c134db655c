/** Prices that change at known times. Times are UTC, and a period ends the moment before its `valid_until`. */

import { Money } from '../money/money.ts';
import type { Pricing, PricingData } from './schema.ts';
import { pricesFor, type UnitPrices } from './tiers.ts';
import { completionParts, countedUnits, partPriceNames, priceNameOf, type PriceName } from './unit-lists.ts';

interface Validity {
  valid_from?: string | undefined;
  valid_until?: string | undefined;
}

/** Period from `fromMs` until the moment before `untilMs`, in epoch milliseconds. Both may be infinite. */
export interface PricePeriod {
  fromMs: number;
  untilMs: number;
}

/** Prices in one period. If `pricing` is undefined, the endpoint gets no requests in this period. */
export interface PricesInPeriod extends PricePeriod {
  pricing: Pricing | undefined;
  serviceCost: Pricing | undefined;
}

/** The current prices of an endpoint, and its prices at other times. */
export interface Timed {
  pricing: Pricing | undefined;
  serviceCost: Pricing | undefined;
  /** Consecutive periods without gaps, for all times. Absent if the prices never change. */
  periods?: readonly PricesInPeriod[] | undefined;
}

export function pricePeriodOf({ valid_from: from, valid_until: until }: Validity): PricePeriod {
  return {
    fromMs: from === undefined ? -Infinity : Date.parse(from),
    untilMs: until === undefined ? Infinity : Date.parse(until),
  };
}

export function covers({ fromMs, untilMs }: PricePeriod, atMs: number): boolean {
  return atMs >= fromMs && atMs < untilMs;
}

/** Returns the moments at which a period begins or ends, in order. */
export function priceMomentsOf(periods: readonly PricePeriod[]): number[] {
  const moments = periods.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]).filter(Number.isFinite);
  return [...new Set(moments)].sort((a, b) => a - b);
}

/** Returns the period that contains the time, between two consecutive moments. */
export function periodBetween(moments: readonly number[], atMs: number): PricePeriod {
  return {
    fromMs: moments.findLast((moment) => moment <= atMs) ?? -Infinity,
    untilMs: moments.find((moment) => moment > atMs) ?? Infinity,
  };
}

/** Returns consecutive periods without gaps, for all times. */
export function pricesInTime(pricing: PricingData | undefined, serviceCost: PricingData | undefined): PricesInPeriod[] {
  const moments = priceMomentsOf([pricing, serviceCost].flatMap((data) => (data ? datedPeriods(data) : [])));
  return [-Infinity, ...moments].map((fromMs, index) => ({
    fromMs,
    untilMs: moments[index] ?? Infinity,
    pricing: pricing && pricingAt(pricing, fromMs),
    serviceCost: serviceCost && pricingAt(serviceCost, fromMs),
  }));
}

/** Returns all sets of prices that apply at some time. */
export function allPricings(data: PricingData): Pricing[] {
  return pricesInTime(data, undefined).flatMap(({ pricing }) => pricing ?? []);
}

function datedPeriods(data: PricingData): PricePeriod[] {
  return [data, ...(data.periods ?? [])].map(pricePeriodOf);
}

/**
 * Returns the prices at a time; undefined if none apply. If the period at this time lacks a price, the usual price
 * applies.
 */
function pricingAt({ valid_from, valid_until, periods, ...base }: PricingData, atMs: number): Pricing | undefined {
  const period = periods?.find((each) => covers(pricePeriodOf(each), atMs));
  if (!period) return covers(pricePeriodOf({ valid_from, valid_until }), atMs) ? base : undefined;
  const { valid_from: _from, valid_until: _until, prompt = base.prompt, completion = base.completion, ...own } = period;
  return { ...base, ...own, prompt, completion };
}

/** Prices for the client, and prices that the operator pays to the provider. */
export type EndpointPrices = Pick<Timed, 'pricing' | 'serviceCost'>;

/** Returns the prices in force at a time. */
export function pricesAt(endpoint: Timed, atMs: number): EndpointPrices {
  const { pricing, serviceCost } = endpoint.periods?.find((period) => covers(period, atMs)) ?? endpoint;
  return { pricing, serviceCost };
}

/**
 * Returns prices that are at least as high as at any moment of a period. A hold uses them, because the request will be
 * sent later.
 */
export function highestWithin(endpoint: Timed, { fromMs, untilMs }: PricePeriod): EndpointPrices {
  const inPeriod = endpoint.periods?.filter((period) => period.fromMs < untilMs && period.untilMs > fromMs);
  const possible: EndpointPrices[] = inPeriod ?? [endpoint];
  const highest = (field: keyof EndpointPrices) => highestPrices(possible.flatMap((period) => period[field] ?? []));
  return { pricing: highest('pricing'), serviceCost: highest('serviceCost') };
}

/** Returns prices that are at least as high as all given prices, for every length of a prompt. */
function highestPrices(all: readonly Pricing[]): Pricing | undefined {
  const [first, ...others] = all;
  if (!first || others.length === 0) return first;
  const sizes = all.flatMap(({ overrides = [] }) => overrides.map(({ min_prompt_tokens: size }) => size));
  const above = (tokens: number) => highestPricesOf(all.map((pricing) => pricesFor(tokens, pricing)));
  const tiers = [...new Set(sizes)]
    .sort((a, b) => a - b)
    .map((size) => ({ min_prompt_tokens: size, ...pricesOfTier(above(size + 1)) }));
  return { ...above(0), ...(tiers.length > 0 ? { overrides: tiers } : {}) };
}

function highestPricesOf(all: readonly UnitPrices[]): Pricing {
  const names = new Set(all.flatMap((prices) => priceNamesIn(prices)));
  const highest = [...names].map((name) => [
    name,
    Money.max(Money.zero, ...all.map((one) => priceChargedFor(one, name))),
  ]);
  return Object.fromEntries(highest) as Pricing;
}

function priceNamesIn(prices: UnitPrices): PriceName[] {
  return Object.entries(prices).flatMap(([name, value]) => (value instanceof Money ? [name as PriceName] : []));
}

/** Returns the unit's own price, or else the price that replaces it; zero if there is none. */
function priceChargedFor(prices: UnitPrices, name: PriceName): Money {
  const inPlace = substitutePrices.get(name) ?? [name];
  return inPlace.map((each) => prices[each]).find((price) => price !== undefined) ?? Money.zero;
}

const substitutePrices: ReadonlyMap<PriceName, readonly PriceName[]> = new Map([
  ...countedUnits.map((unit) => [priceNameOf(unit), unit.prices] as const),
  ...completionParts.flatMap((unit) => {
    const rest = unit.rest ? [unit.rest.price] : [];
    const names = [priceNameOf(unit), ...rest, 'completion'] as const;
    return [[priceNameOf(unit), names] as const, ...rest.map((name) => [name, [name, 'completion'] as const] as const)];
  }),
]);

function pricesOfTier(prices: Pricing): Partial<Pricing> {
  const named = (['prompt', 'completion', ...partPriceNames] as const).flatMap((name) =>
    prices[name] ? [[name, prices[name]] as const] : [],
  );
  return Object.fromEntries(named);
}
