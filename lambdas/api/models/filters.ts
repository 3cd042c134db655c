/**
 * Filters of the lists of models. Each filter has the schema of its query parameter, and the condition that a model
 * must meet.
 */

import * as z from 'zod';
import { retainsNothing } from '../../catalog/data-policy.ts';
import { modalities } from '../../catalog/modality.ts';
import { modelCategories } from '../../catalog/model-categories.ts';
import { inputModalities } from '../../catalog/wires.ts';
import { booleanParameter, integerParameter } from '../../http/fields.ts';
import type { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { choicesParameter, modalitiesParameter, namesParameter, priceParameter, wordsParameter } from './fields.ts';
import { contextOf, tokenPricesOf, type ModelOffer } from './offer.ts';

const TOKENS_PER_PRICE = 1_000_000;
const MAX_CONTEXT_TOKENS = 1_000_000_000;
const MAX_AGE_DAYS = 100_000;

type Keeps<Wanted> = (offer: ModelOffer, wanted: Wanted, atMs: number) => boolean;

function filter<Parameter extends z.ZodType>(
  parameter: Parameter,
  description: string,
  keeps: Keeps<z.output<Parameter>>,
) {
  return { parameter: parameter.optional().meta({ description }), keeps };
}

const ageDays = integerParameter(0, MAX_AGE_DAYS);

const filters = {
  q: filter(
    wordsParameter,
    'Only models that have all of these words in their id or name.',
    ({ model: { id, data } }, words) => {
      const text = `${id} ${data.permaslug} ${data.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    },
  ),
  output_modalities: filter(
    modalitiesParameter,
    `Only models that make at least one of these kinds of output: "all", or a comma-separated list of ${modalities.join(', ')}. Without it, only models that make text are listed.`,
    ({ model }, wanted) => wanted === 'all' || isAnyOf(wanted, model.data.output_modalities),
  ),
  input_modalities: filter(
    choicesParameter(inputModalities),
    `A comma-separated list of ${inputModalities.join(', ')}, all of which a model has to take.`,
    ({ model }, wanted) => wanted.every((modality) => model.data.input_modalities.includes(modality)),
  ),
  supported_parameters: filter(
    namesParameter,
    'Only models that support all of these parameters, given as a comma-separated list of names.',
    ({ model }, names) => names.every((name) => model.data.supported_parameters.includes(name)),
  ),
  context: filter(
    integerParameter(0, MAX_CONTEXT_TOKENS),
    'Only models whose context has at least this many tokens.',
    (offer, tokens) => (contextOf(offer) ?? 0) >= tokens,
  ),
  min_price: filter(
    priceParameter,
    'Only models whose prompts cost at least this much, in RUB per million tokens.',
    (offer, least) => isPriced(offer, 'prompt', (perMillion) => !least.exceeds(perMillion)),
  ),
  max_price: filter(
    priceParameter,
    'Only models whose prompts cost at most this much, in RUB per million tokens.',
    (offer, most) => isPriced(offer, 'prompt', (perMillion) => !perMillion.exceeds(most)),
  ),
  min_output_price: filter(
    priceParameter,
    'Only models whose answers cost at least this much, in RUB per million tokens.',
    (offer, least) => isPriced(offer, 'completion', (perMillion) => !least.exceeds(perMillion)),
  ),
  max_output_price: filter(
    priceParameter,
    'Only models whose answers cost at most this much, in RUB per million tokens.',
    (offer, most) => isPriced(offer, 'completion', (perMillion) => !perMillion.exceeds(most)),
  ),
  category: filter(
    z.enum(modelCategories, { error: `must be one of ${modelCategories.join(', ')}` }),
    'Only models that the catalog lists for this field of use.',
    ({ model }, category) => model.data.categories?.includes(category) === true,
  ),
  model_authors: filter(
    namesParameter,
    'Only models by one of these authors, given as a comma-separated list of what ids have before the slash.',
    ({ model }, names) => isAnyOf(names, [model.id.split('/')[0]!]),
  ),
  providers: filter(
    namesParameter,
    'Only models that at least one of these providers serves: ids or names, comma-separated.',
    ({ endpoints }, names) => endpoints.some(({ provider: { id, name } }) => isAnyOf(names, [id, name.toLowerCase()])),
  ),
  zdr: filter(
    z.literal('true', { error: 'must be true; leave it out to see the models of all providers' }),
    'Only models with an endpoint that keeps nothing of a prompt and does not train on it.',
    ({ endpoints }) => endpoints.some(({ dataPolicy }) => retainsNothing(dataPolicy)),
  ),
  distillable: filter(
    booleanParameter,
    'With true only models whose authors let other models be trained on their output; with false only the others.',
    ({ model }, wanted) => (model.data.distillable_text === true) === wanted,
  ),
  min_age_days: filter(
    ageDays,
    'Only models that appeared at least this many whole days ago.',
    (offer, days, atMs) => ageOf(offer, atMs) >= days,
  ),
  max_age_days: filter(
    ageDays,
    'Only models that appeared at most this many whole days ago.',
    (offer, days, atMs) => ageOf(offer, atMs) <= days,
  ),
};

type Filters = typeof filters;

export const filterParameters = Object.fromEntries(
  Object.entries(filters).map(([name, { parameter }]) => [name, parameter]),
) as { [Name in keyof Filters]: Filters[Name]['parameter'] };

export type FilterQuery = { [Name in keyof Filters]?: z.output<Filters[Name]['parameter']> };

/**
 * Returns the models that pass every filter of the query.
 * @param atMs reference time for ages
 */
export function keptOffers(offers: readonly ModelOffer[], query: FilterQuery, atMs: number): ModelOffer[] {
  const given = (Object.keys(filters) as (keyof Filters)[]).filter((name) => query[name] !== undefined);
  // The compiler cannot infer that each value has the type of its filter.
  return offers.filter((offer) => given.every((name) => filters[name].keeps(offer, query[name] as never, atMs)));
}

/** Whether one of the names is wanted. An empty filter matches all models. */
function isAnyOf(wanted: readonly string[], names: readonly string[]): boolean {
  return wanted.length === 0 || names.some((name) => wanted.includes(name));
}

/** Whether `fits` accepts the price of a million tokens. False for a model without token prices. */
function isPriced(offer: ModelOffer, kind: 'prompt' | 'completion', fits: (perMillion: Money) => boolean): boolean {
  const prices = tokenPricesOf(offer);
  return prices !== undefined && fits(prices[kind].times(TOKENS_PER_PRICE));
}

function ageOf({ model }: ModelOffer, atMs: number): number {
  return Math.floor((atMs - Date.parse(model.data.created)) / DAY_MS);
}
