import type { Endpoint, Model } from '../catalog/catalog.ts';
import { collectsData, retainsNothing } from '../catalog/data-policy.ts';
import type { Pricing } from '../catalog/schema.ts';
import { highestPriceOf, pricesFor } from '../catalog/tiers.ts';
import { billingUnits, completionUnits, promptUnits, tokenPriceNames, type PriceName } from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import { isNamed } from './endpoint-names.ts';
import type { PreferenceReason } from './exclusions.ts';
import { leftOutFields } from './left-out.ts';
import type { Preferences } from './preferences.ts';

const PER_MILLION = 1_000_000;
/** Prices of the prompt, except for caches: cache reads usually cost less, and the client chooses cache writes. */
const promptPrices = tokenPriceNames(promptUnits.filter(({ cache }) => !cache));
const completionPrices = tokenPriceNames(completionUnits);

export interface Preferred {
  parameters: readonly string[][];
  tunings: readonly string[];
  /** Estimated size of the prompt in tokens, on which the price may depend. */
  promptTokens: number;
}

/** Returns the first preference that an endpoint does not match, or undefined. */
export function misfitOf(
  model: Model,
  endpoint: Endpoint & { pricing: Pricing },
  preferences: Preferences,
  requested: Preferred,
): PreferenceReason | undefined {
  const { only, ignore, order, allow_fallbacks, quantizations, max_price } = preferences;
  const isIn = (names: readonly string[]) => names.some((name) => isNamed(endpoint, name));
  if (only && !isIn(only)) return 'only';
  if (ignore && isIn(ignore)) return 'ignore';
  if (order && allow_fallbacks === false && !isIn(order)) return 'order';
  if (quantizations && !quantizations.includes(endpoint.data.quantization ?? 'unknown')) return 'quantizations';
  if (preferences.data_collection === 'deny' && collectsData(endpoint.dataPolicy)) return 'data_collection';
  if (preferences.zdr && !retainsNothing(endpoint.dataPolicy)) return 'zdr';
  if (preferences.enforce_distillable_text && !model.data.distillable_text) return 'enforce_distillable_text';
  if (preferences.require_parameters && !supportsAll(endpoint, requested)) return 'require_parameters';
  if (max_price && isMoreExpensive(endpoint, max_price, requested.promptTokens)) return 'max_price';
  return undefined;
}

/** Whether a price exceeds the request's maximum price. A unit without a price is free. */
function isMoreExpensive(
  { pricing, data }: Endpoint & { pricing: Pricing },
  most: NonNullable<Preferences['max_price']>,
  promptTokens: number,
): boolean {
  const prices = [pricesFor(promptTokens, pricing)];
  const highest = (units: number, ...names: PriceName[]) => highestPriceOf(prices, names).times(units);
  const limitedBy = (field: keyof typeof most) =>
    billingUnits.flatMap(({ maxPrice, prices: [own] }) => (maxPrice?.[0] === field ? highest(maxPrice[1], own) : []));
  const charged = {
    prompt: Money.max(highest(PER_MILLION, ...promptPrices), ...limitedBy('prompt')),
    completion: highest(PER_MILLION, ...completionPrices),
    request: Money.sum(limitedBy('request')),
    image: Money.max(Money.zero, ...limitedBy('image'), ...Object.values(data.image?.prices ?? {})),
    audio: Money.max(Money.zero, ...limitedBy('audio')),
  };
  return Object.entries(charged).some(([unit, price]) => {
    const limit = most[unit as keyof typeof charged];
    return limit != null && price.exceeds(limit);
  });
}

function supportsAll(endpoint: Endpoint, { parameters, tunings }: Preferred): boolean {
  const { supportedParameters: supported } = endpoint;
  if (leftOutFields(tunings, endpoint).length > 0) return false;
  return parameters.every((names) => names.some((name) => supported.includes(name)));
}
