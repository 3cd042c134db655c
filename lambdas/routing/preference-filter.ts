/** Determines which endpoints match the preferences of a request. */

import type { Endpoint, Model } from '../catalog/catalog.ts';
import { collectsData, retainsNothing } from '../catalog/data-policy.ts';
import type { Pricing } from '../catalog/schema.ts';
import { highestPriceOf, pricesFor } from '../catalog/tiers.ts';
import {
  completionUnits,
  MAX_BILLED_PIXELS,
  promptUnits,
  tokenPriceNames,
  type PriceName,
} from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import { isNamed } from './endpoint-names.ts';
import type { PreferenceReason } from './exclusions.ts';
import { leftOutFields } from './left-out.ts';
import type { Preferences } from './preferences.ts';

const PER_MILLION = 1_000_000;
/** Prices of the prompt, without cache reads, which usually cost less, and cache writes, which the client chooses. */
const promptPrices: PriceName[] = [...tokenPriceNames(promptUnits.filter(({ cache }) => !cache)), 'character'];
const completionPrices = tokenPriceNames(completionUnits);

/** Parts of a request that affect whether an endpoint matches. */
export interface Preferred {
  parameters: readonly string[][];
  tunings: readonly string[];
  /** Estimated size of the prompt in tokens, on which the price may depend. */
  promptTokens: number;
}

/** Returns the first preference that an endpoint does not match; undefined if the endpoint matches all preferences. */
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

/** Returns whether a price of an endpoint exceeds the request's maximum price. A unit without a price is free. */
function isMoreExpensive(
  { pricing, data }: Endpoint & { pricing: Pricing },
  most: NonNullable<Preferences['max_price']>,
  promptTokens: number,
): boolean {
  const prices = pricesFor(promptTokens, pricing);
  const highest = (units: number, ...names: PriceName[]) => highestPriceOf(prices, names).times(units);
  const charged = {
    prompt: highest(PER_MILLION, ...promptPrices),
    completion: highest(PER_MILLION, ...completionPrices),
    // A request to a model priced by song has exactly one song; a rerank has at least one search unit.
    request: Money.sum([highest(1, 'request'), highest(1, 'song'), highest(1, 'search_unit')]),
    image: Money.max(
      highest(1, 'image', 'output_image'),
      highest(MAX_BILLED_PIXELS, 'pixel'),
      ...Object.values(data.image?.prices ?? {}),
    ),
    audio: Money.max(highest(PER_MILLION, 'audio_input', 'audio_output'), highest(1, 'audio_second')),
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
