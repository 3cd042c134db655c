import { Money } from '../money/money.ts';
import { CatalogError } from './catalog-error.ts';
import type { ModelData } from './schema.ts';
import {
  completionUnits,
  otherUnits,
  priceNameOf,
  promptUnits,
  tokenPriceNames,
  type PriceName,
} from './unit-lists.ts';

/** Plausible prices of one token, in RUB: a million tokens cost 0.01 to 1,000,000 RUB. */
const PLAUSIBLE_OF_TOKEN = ['0.00000001', '1'] as const;

const plausible = new Map<PriceName, readonly [least: string, most: string]>([
  ...tokenPriceNames([...promptUnits, ...completionUnits]).map((name) => [name, PLAUSIBLE_OF_TOKEN] as const),
  ...otherUnits.map((unit) => [priceNameOf(unit), unit.plausible] as const),
]);

/** Returns the lowest and the highest plausible price of one unit, in RUB. */
export function priceBoundsOf(name: PriceName): { least: Money; most: Money } {
  const [least, most] = plausible.get(name)!;
  return { least: Money.parse(least), most: Money.parse(most) };
}

/**
 * Checks that each price of a model is plausible for its unit, or zero.
 * @throws {CatalogError} naming the first price outside its bounds
 */
export function checkPriceBounds({ endpoints, video }: ModelData, place: string): void {
  for (const [index, { pricing = {}, service_cost: cost = {}, image }] of endpoints.entries()) {
    checkPricesIn(pricing, `${place}.endpoints[${index}].pricing`);
    checkPricesIn(cost, `${place}.endpoints[${index}].service_cost`);
    for (const [kind, price] of Object.entries(image?.prices ?? {})) {
      checkBounds('output_image', price, `${place}.endpoints[${index}].image.prices.${kind}`);
    }
  }
  const usual = { path: 'price_per_second', prices: video?.price_per_second ?? {} };
  const later = (video?.periods ?? []).map(({ price_per_second: prices }, index) => {
    return { path: `periods[${index}].price_per_second`, prices };
  });
  for (const { path, prices } of [usual, ...later]) {
    for (const [resolution, price] of Object.entries(prices)) {
      checkBounds('video_second', price, `${place}.video.${path}.${resolution}`);
    }
  }
}

/** Checks the prices in an object, and in its lists of tiers and periods. */
function checkPricesIn(prices: object, place: string): void {
  for (const [name, value] of Object.entries(prices)) {
    if (value instanceof Money) checkBounds(name as PriceName, value, `${place}.${name}`);
    if (!Array.isArray(value)) continue;
    for (const [index, item] of value.entries()) checkPricesIn(item as object, `${place}.${name}[${index}]`);
  }
}

function checkBounds(name: PriceName, price: Money, place: string): void {
  if (price.isZero) return;
  const { least, most } = priceBoundsOf(name);
  const isTooLow = least.exceeds(price);
  if (!isTooLow && !price.exceeds(most)) return;
  const bound = isTooLow ? `below ${least}` : `above ${most}`;
  throw new CatalogError(
    `${place}: ${price} RUB is not plausible for one unit, because it is ${bound} RUB: set the price of one token, image, second or request, in roubles`,
  );
}
