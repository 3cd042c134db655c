/**
 * Guarantee: a request is charged at the prices in force when it was sent to the answering provider, and its hold
 * covers these prices. If no prices were in force then, it is charged at the prices at admission. Videos are always
 * charged at the prices at admission.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Priced } from '../catalog/default-route.ts';
import { highestWithin, pricesAt, type EndpointPrices } from '../catalog/price-periods.ts';
import type { Pricing } from '../catalog/schema.ts';
import type { OtherPriceName } from '../catalog/unit-lists.ts';
import type { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';

export interface PricedOffer {
  endpoint: Priced<Endpoint>;
  /** Prices in force at admission. After the request was sent, the prices in force when it was sent. */
  pricing: Pricing;
  /** Prices with which the hold is calculated: the highest prices that may be in force when the request is sent. */
  held: EndpointPrices & { pricing: Pricing };
  /** Whether `pricing` has changed since admission; undefined until a request is sent to the endpoint. */
  isRepriced?: boolean;
}

/** Maximum time in ms from admission until the last attempt. */
const MAX_REQUEST_MS = 15 * 60_000;

/** Returns the highest prices that may be in force when the request is sent. */
export function heldPricesOf(endpoint: Priced<Endpoint>): PricedOffer['held'] {
  const fromMs = nowMs();
  const { pricing = endpoint.pricing, serviceCost } = highestWithin(endpoint, {
    fromMs,
    untilMs: fromMs + MAX_REQUEST_MS,
  });
  return { pricing, serviceCost };
}

/** Returns a candidate with a price that depends on the request, such as the price of an image in one size. */
export function withRequestPrice<Offer extends PricedOffer>(offer: Offer, name: OtherPriceName, price: Money): Offer {
  const priced = <Prices extends EndpointPrices>(prices: Prices): Prices => ({
    ...prices,
    pricing: prices.pricing && { ...prices.pricing, [name]: price },
  });
  const { pricing, held, endpoint } = offer;
  const { periods } = endpoint;
  return {
    ...offer,
    pricing: { ...pricing, [name]: price },
    held: priced(held),
    ...(periods ? { endpoint: { ...endpoint, periods: periods.map(priced) } } : {}),
  };
}

/** Fixes the prices when the first request is sent; later requests of the same answer keep them. */
export function fixPrices(candidate: PricedOffer): void {
  if (candidate.isRepriced !== undefined) return;
  candidate.isRepriced = false;
  if (!candidate.endpoint.periods) return;
  const { pricing, serviceCost } = pricesAt(candidate.endpoint, nowMs());
  if (!pricing) return;
  candidate.isRepriced = !isDeepStrictEqual(pricing, candidate.pricing);
  candidate.endpoint = { ...candidate.endpoint, pricing, serviceCost };
  candidate.pricing = pricing;
  candidate.held = { pricing, serviceCost };
}

/** Returns the prices that an outcome must record; undefined if the record has them already. */
export function changedPricing(candidate: PricedOffer, isFirst: boolean): Pricing | undefined {
  return isFirst && !candidate.isRepriced ? undefined : candidate.pricing;
}
