/** Warnings about catalog entries that are allowed but need a check. */

import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import type { EndpointData, ModelData, Pricing, ProviderData } from '../../../lambdas/catalog/schema.ts';
import { allPricings } from '../../../lambdas/catalog/price-periods.ts';
import { pricesFor, type UnitPrices } from '../../../lambdas/catalog/tiers.ts';
import { partPriceNames, pieces, priceNameOf, type OtherPriceName } from '../../../lambdas/catalog/unit-lists.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { optionalVariable } from '../../../lambdas/platform/environment.ts';
import { dateWarnings } from './price-date-warnings.ts';
import { regionWarnings } from './region-warnings.ts';

/** Number of days without a newer model after which a catalog counts as out of date. */
const FRESH_DAYS = 60;
const MS_PER_DAY = 86_400_000;

/** Highest ratio without a warning between the prices of the same model at different providers. */
const DEFAULT_SPREAD = 10;

/** Usual prices of cache writes as multiples of the prompt price: for an hour (Anthropic), and for a few minutes. */
const HOUR_MULTIPLE = 2;
const WRITE_MULTIPLE = 1.25;
/** Tolerance of comparisons with these multiples, because converted prices are rounded up to 10⁻¹² RUB. */
const ROUNDING = 0.001;

/** Shortest known prompt length in tokens above which a price tier applies (Alibaba's). */
const SHORTEST_TIER = 32_000;

/** Prices of units other than tokens, of which a whole answer may consist. */
const alonePrices = pieces.filter(({ alone, perModel }) => alone && !perModel).map(priceNameOf) as OtherPriceName[];

/** Prices that may depend on the prompt length. */
const unitNames = ['prompt', 'completion', ...partPriceNames] as const;

/**
 * Returns one sentence per warning.
 * @param today as YYYY-MM-DD
 */
export function warningsOf({ providers, models }: Pick<CatalogFiles, 'providers' | 'models'>, today: string): string[] {
  // The operator chooses the dates and prices of endpoints at its own URLs.
  const publicIds = new Set(providers.filter(({ base_url }) => base_url !== undefined).map(({ id }) => id));
  const bought = models.filter(({ endpoints }) => endpoints.some(({ provider }) => publicIds.has(provider)));
  const warnings = [
    ...ageWarnings(bought, today),
    ...models.flatMap((model) => freeWarnings(model, publicIds)),
    ...models.flatMap((model) => missingTierWarnings(model, providers)),
    ...models.flatMap((model) => regionWarnings(model, providers, optionalVariable)),
    ...models.flatMap(priceWarnings),
    ...dateWarnings(models, Date.parse(today)),
  ];
  return [...new Set(warnings)];
}

/**
 * Warns about text models with a price of 0, for which clients would not pay. Models that are deliberately free have
 * `service_free`, and a model that is priced by another unit alone may have no token price.
 */
function freeWarnings(model: ModelData, publicIds: ReadonlySet<string>): string[] {
  if (model.service_free || !writesText(model)) return [];
  return model.endpoints
    .filter(
      ({ provider, pricing }) =>
        publicIds.has(provider) && alonePrices.every((name) => pricing?.[name]?.isZero ?? true),
    )
    .flatMap(({ id, pricing }) =>
      (['prompt', 'completion'] as const)
        .filter((name) => pricing?.[name].isZero)
        .map((name) => `${id}: ${name} is 0, but the model is not marked as free: set a price, or service_free.`),
    );
}

/**
 * Warns about endpoints with a single price for all prompt lengths that may be wrong: the provider is known to charge
 * more for longer prompts (`tiered_prices`), or another endpoint of the model with the same base price does so. Long
 * prompts might then be sold below cost.
 */
function missingTierWarnings(model: ModelData, providers: readonly ProviderData[]): string[] {
  const tiered = new Set(providers.filter(({ tiered_prices: isTiered }) => isTiered).map(({ id }) => id));
  const untiered = model.endpoints.filter(
    ({ pricing, flat_price: isFlat }) => pricing && !pricing.overrides && isFlat !== true,
  );
  return untiered.flatMap(({ id, provider, pricing, context_length: context = model.context_length ?? 0 }) => {
    const remedy = 'add overrides, or set flat_price if the provider has one price for every length';
    if (tiered.has(provider) && context > SHORTEST_TIER) {
      return [`${id}: "${provider}" charges more for longer prompts: ${remedy}.`];
    }
    const twin = model.endpoints.find((other) => hasTierBelow(other, context) && hasSameBase(other, pricing!));
    return twin ? [`${id}: ${twin.id} has the same price and charges more for longer prompts: ${remedy}.`] : [];
  });
}

function hasTierBelow({ pricing }: EndpointData, contextLength: number): boolean {
  return pricing?.overrides?.some(({ min_prompt_tokens: size }) => size < contextLength) ?? false;
}

function hasSameBase({ pricing }: EndpointData, { prompt, completion }: Pricing): boolean {
  return pricing?.prompt.equals(prompt) === true && pricing.completion.equals(completion);
}

function ageWarnings(models: ModelData[], today: string): string[] {
  const newest = models.toSorted((one, other) => one.created.localeCompare(other.created)).at(-1);
  if (!newest) return [];
  const days = Math.floor((Date.parse(today) - Date.parse(newest.created)) / MS_PER_DAY);
  if (days <= FRESH_DAYS) return [];
  return [`The newest model, "${newest.id}", is ${days} days old: import a newer price list.`];
}

function priceWarnings(model: ModelData): string[] {
  const offers = model.endpoints.flatMap(({ id, pricing, service_cost: cost }) => {
    const paid = model.service_free ? cost : pricing;
    return paid ? allPricings(paid).map((prices) => ({ id, paid: prices })) : [];
  });
  return [
    ...offers.flatMap(({ id, paid }) => {
      const levels = levelsOf(id, paid);
      return [...levels.flatMap((level) => ratioWarnings(model, level)), ...tierWarnings(levels)];
    }),
    ...spreadWarnings(
      model.id,
      offers.map(({ paid }) => paid),
    ),
  ];
}

interface Level {
  /** Text for messages that names the endpoint and the range of prompt lengths. */
  place: string;
  prices: UnitPrices;
}

/** Returns an endpoint's base prices, and the prices above each limit of the prompt length, shortest first. */
function levelsOf(id: string, pricing: Pricing): Level[] {
  const sizes = (pricing.overrides ?? [])
    .map(({ min_prompt_tokens: size }) => size)
    .toSorted((one, other) => one - other);
  const above = sizes.map((size) => ({ place: `${id} above ${size} tokens`, prices: pricesFor(size + 1, pricing) }));
  return [{ place: id, prices: pricing }, ...above];
}

function ratioWarnings(model: ModelData, { place, prices }: Level): string[] {
  const findings = [
    writesText(model) && isBelow(prices.completion, prices.prompt) && 'completion costs less than prompt',
    isBelow(prices.prompt, prices.input_cache_read) && 'input_cache_read costs more than prompt',
    ...cacheWarnings(prices, model.id.startsWith('anthropic/')),
  ];
  return findings.flatMap((finding) => (finding ? [`${place}: ${finding}.`] : []));
}

function writesText({ output_modalities: outputs }: ModelData): boolean {
  return outputs.includes('text');
}

function cacheWarnings(prices: UnitPrices, isClaude: boolean): (string | false)[] {
  const write = multipleOf(prices.input_cache_write, prices.prompt);
  const hour = multipleOf(prices.input_cache_write_1h, prices.prompt);
  const isOff = (multiple: number, usual: number) => Math.abs(multiple - usual) > ROUNDING;
  if (isClaude) {
    return [
      write !== undefined && isOff(write, WRITE_MULTIPLE) && `input_cache_write is not ${WRITE_MULTIPLE} times prompt`,
      hour !== undefined && isOff(hour, HOUR_MULTIPLE) && `input_cache_write_1h is not ${HOUR_MULTIPLE} times prompt`,
    ];
  }
  return [
    write !== undefined &&
      write > WRITE_MULTIPLE + ROUNDING &&
      `input_cache_write is over ${WRITE_MULTIPLE} times prompt`,
    hour !== undefined &&
      hour > HOUR_MULTIPLE + ROUNDING &&
      `input_cache_write_1h is over ${HOUR_MULTIPLE} times prompt`,
  ];
}

function tierWarnings(levels: Level[]): string[] {
  return levels.slice(1).flatMap(({ place, prices }, index) => {
    const shorter = levels[index]!.prices;
    return unitNames
      .filter((name) => isBelow(prices[name], shorter[name]))
      .map((name) => `${place}: ${name} costs less than for shorter prompts.`);
  });
}

function spreadWarnings(model: string, all: Pricing[]): string[] {
  return (['prompt', 'completion'] as const).flatMap((name) => {
    const paid = all.map((pricing) => pricing[name]).filter((price) => !price.isZero);
    const sorted = paid.toSorted((one, other) => (one.exceeds(other) ? 1 : -1));
    const spread = multipleOf(sorted.at(-1), sorted[0]);
    if (spread === undefined || spread <= DEFAULT_SPREAD) return [];
    return [
      `${model}: ${name} costs ${spread.toFixed(1)} times as much at its most expensive provider as at its cheapest.`,
    ];
  });
}

function isBelow(price: Money | undefined, bound: Money | undefined): boolean {
  return price !== undefined && bound !== undefined && !price.isZero && bound.exceeds(price);
}

function multipleOf(price: Money | undefined, unit: Money | undefined): number | undefined {
  if (!price || !unit || price.isZero || unit.isZero) return undefined;
  return Number(price.pico) / Number(unit.pico);
}
