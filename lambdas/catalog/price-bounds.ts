import { Money } from '../money/money.ts';
import { CatalogError } from './catalog-error.ts';
import type { ModelData } from './schema.ts';
import { completionUnits, promptUnits, tokenPriceNames, type PriceName } from './unit-lists.ts';

/**
 * Lowest and highest plausible price of one unit, in RUB, if it is not zero. A price outside these bounds is probably
 * in the wrong unit (per million tokens, per thousand characters, per hour), or in cents or another currency. The
 * bounds assume an exchange rate of 50 to 200 RUB per USD.
 */
interface PriceBounds {
  least: string;
  most: string;
}

/** A million tokens costs 0.01 to 1,000,000 RUB. */
const token: PriceBounds = { least: '0.00000001', most: '1' };

/** Bounds by the name of the price. Token prices that are not listed here have the bounds of `token`. */
const ofUnits: Readonly<Record<string, PriceBounds>> = {
  request: { least: '0.0001', most: '1000' },
  web_search: { least: '0.001', most: '1000' },
  // An image in a prompt may cost less than a generated image, such as $0.00006 at Amazon.
  image: { least: '0.001', most: '1000' },
  // A generated image costs at least $0.0001.
  output_image: { least: '0.005', most: '5000' },
  video_second: { least: '0.01', most: '5000' },
  search_unit: { least: '0.001', most: '1000' },
  // A million characters costs 0.5 to 1,000,000 RUB.
  character: { least: '0.0000005', most: '1' },
  // A billion pixels costs 0.5 to 20,000 RUB.
  pixel: { least: '0.0000000005', most: '0.00002' },
  // A minute of audio costs at least 0.0006 RUB.
  audio_second: { least: '0.00001', most: '100' },
  // A song costs at least $0.0001.
  song: { least: '0.005', most: '5000' },
};

const ofTokens = new Set<PriceName>(tokenPriceNames([...promptUnits, ...completionUnits]));

/** Returns the bounds for a price; undefined if it has no bounds. */
export function priceBoundsOf(name: PriceName): PriceBounds | undefined {
  return ofUnits[name] ?? (ofTokens.has(name) ? token : undefined);
}

/**
 * Checks that each price of a model is plausible for its unit. A price of zero is allowed.
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
  const bounds = priceBoundsOf(name);
  if (!bounds || price.isZero) return;
  const { least, most } = bounds;
  const isTooLow = Money.parse(least).exceeds(price);
  if (!isTooLow && !price.exceeds(Money.parse(most))) return;
  const bound = isTooLow ? `below ${least}` : `above ${most}`;
  throw new CatalogError(
    `${place}: ${price} RUB is not plausible for one unit, because it is ${bound} RUB: set the price of one token, image, second or request, in roubles`,
  );
}
