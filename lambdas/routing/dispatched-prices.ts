/**
 * Prices of a request, while the prices of its endpoint may change.
 *
 * Guarantee: a request is charged at the prices in force when it was sent to the provider that answers (if there are
 * none, at the prices at admission), and its hold covers these prices. If prices change during an answer, the answer
 * keeps its prices. Videos are charged at the prices at admission.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Priced } from '../catalog/default-route.ts';
import { highestWithin, pricesAt, type EndpointPrices } from '../catalog/price-periods.ts';
import type { Pricing } from '../catalog/schema.ts';
import type { OtherPriceName } from '../catalog/unit-lists.ts';
import type { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';

/** An endpoint with its prices for a request. */
export interface PricedOffer {
  endpoint: Priced<Endpoint>;
  /** Prices in force. Once the request has been sent, the prices that were in force at that time. */
  pricing: Pricing;
  /** Prices for which the hold is placed: the highest that may be in force when the request is sent. */
  held: EndpointPrices & { pricing: Pricing };
  /**
   * Whether `pricing` has changed since the request was admitted; undefined until a request is sent to the endpoint.
   */
  isRepriced?: boolean;
}

/** Maximum time in ms from the admission of a request until the last attempt to send it to a provider. */
const MAX_REQUEST_MS = 15 * 60_000;

/** Returns the prices for a hold that is placed now: the highest that may be in force when the request is sent. */
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

/**
 * Fixes the prices of a candidate when its first request is sent. Further requests of the same answer keep these
 * prices. If no prices are in force any more, the prices at admission apply.
 */
export function fixPrices(candidate: PricedOffer): void {
  if (candidate.isRepriced !== undefined) return;
  candidate.isRepriced = false;
  const { pricing, serviceCost } = pricesAt(candidate.endpoint, nowMs());
  if (!pricing || !candidate.endpoint.periods) return;
  candidate.isRepriced = !isDeepStrictEqual(pricing, candidate.pricing);
  candidate.endpoint = { ...candidate.endpoint, pricing, serviceCost };
  candidate.pricing = pricing;
  candidate.held = { pricing, serviceCost };
}

/**
 * Returns the prices that an outcome must record; undefined if the record already has them, because it was written with
 * the prices of the first candidate.
 */
export function changedPricing(candidate: PricedOffer, isFirst: boolean): Pricing | undefined {
  return isFirst && !candidate.isRepriced ? undefined : candidate.pricing;
}
