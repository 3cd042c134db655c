/**
 * Converts price lists (USD per million tokens) to the catalog's model files (RUB per token). All numbers are decimal
 * texts, so the arithmetic is exact. Results are rounded up to 10⁻¹² RUB, so an imported price is not below the listed
 * price at the given rate.
 */

import { tuningParameters } from '../../../lambdas/catalog/sampling-parameters.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { StartFailure } from '../../shared/failure.ts';
import {
  importedParameters,
  type DatedCost,
  type SelectedModel as ListedSelection,
  type SelectedPlace,
  type Selection,
} from './import-selection.ts';
import { providerParameters, withFacts } from './model-facts.ts';
import {
  findListed,
  isZeroPrice,
  listedModelSchema,
  type ListedCost,
  type ListedModel,
  type PriceList,
} from '../price-lists/price-list.ts';

/** Exchange rate in RUB per USD, and markup in percent, as decimal texts. */
export interface Conversion {
  rubPerUsd: string;
  markupPercent: string;
}

/**
 * Creates the model files of a selection.
 * @param lists price lists, oldest first; see `findListed`
 * @returns content by file name (author.json)
 * @throws {Error} if the selection or an entry of the lists is incomplete or invalid; the message names the entry
 */
export function importCatalog(
  lists: readonly PriceList[],
  selection: Selection,
  conversion: Conversion,
): Map<string, { models: unknown[]; aliases: unknown[] }> {
  const files = new Map<string, { models: unknown[]; aliases: unknown[] }>();
  const fileOf = (id: string) => {
    const name = `${id.split('/')[0]}.json`;
    const file = files.get(name) ?? { models: [], aliases: [] };
    files.set(name, file);
    return file;
  };
  for (const selected of selection.models) {
    const wanted = { ...selected, facts: selection.facts ?? [], parameters: selection.provider_parameters ?? [] };
    const found = wanted.from.map((place) => {
      if (selection.per_request_fee?.includes(place.provider) && wanted.usd_per_thousand_requests === undefined) {
        throw new StartFailure(
          `Add usd_per_thousand_requests to "${wanted.id}" in the selection, because "${place.provider}" charges for each request`,
        );
      }
      const hasThinkingPrice = selection.thinking_prices?.includes(place.provider) === true;
      return { place, data: listedAt(place, lists), hasThinkingPrice };
    });
    const offered = catalogModel(wanted, found, conversion);
    fileOf(wanted.id).models.push(
      selection.service_cost ? withServiceCost(offered, wanted, found, conversion) : offered,
    );
    if (selection.free?.models.includes(wanted.id)) {
      fileOf(wanted.id).models.push(freeModel(wanted, found, { ...conversion, terms: selection.free.terms }));
    }
  }
  const unknown = selection.free?.models.find((id) => !selection.models.some((wanted) => wanted.id === id));
  if (unknown !== undefined)
    throw new StartFailure(
      `selection: free.models contains "${unknown}", which is missing from models. Add it there, or remove it`,
    );
  for (const alias of selection.aliases) fileOf(alias.alias).aliases.push(alias);
  return files;
}

/**
 * Reads the price list entry of a selected endpoint. If the selection names a similar entry (`like`), the facts come
 * from that entry; prices in the endpoint's own entry have precedence.
 */
function listedAt(place: SelectedPlace, lists: readonly PriceList[]): ListedModel {
  const { provider, model } = place.like ?? place;
  const described = findListed(lists, { provider, model });
  if (described === undefined)
    throw new StartFailure(
      `The price lists contain no model "${model}" of provider "${provider}". Correct the selection, or add it with "like"`,
    );
  const data = parseListedModel(described, `${provider}: ${model}`);
  const own = place.like && findListed(lists, place);
  const cost = own && listedModelSchema.pick({ cost: true }).safeParse(own).data?.cost;
  return cost ? { ...data, cost } : data;
}

function parseListedModel(described: object, place: string): ListedModel {
  const { data, error } = listedModelSchema.safeParse(described);
  if (data) return data;
  const [issue] = error.issues;
  throw new StartFailure(
    `The entry "${place}" of the price lists is invalid: ${issue!.path.join('.')}: ${issueText(issue!)}`,
  );
}

/**
 * Converts a price in USD per million tokens, or per `units` other units, to RUB per unit. Rounds up to 10⁻¹² RUB.
 * @throws {StartFailure} if a number is not plain decimal
 */
export function convertPrice(usdText: string, conversion: Conversion, units = 1_000_000n): Money {
  const usd = fraction(usdText);
  const rate = fraction(conversion.rubPerUsd);
  const markup = fraction(conversion.markupPercent);
  const numerator = usd.units * rate.units * (100n * markup.scale + markup.units) * 10n ** 12n;
  const denominator = usd.scale * rate.scale * (100n * markup.scale) * units;
  return Money.fromPico((numerator + denominator - 1n) / denominator);
}

function fraction(text: string): { units: bigint; scale: bigint } {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new StartFailure(`"${text}" is not a plain decimal number`);
  const [whole, decimals = ''] = text.split('.');
  return { units: BigInt(`${whole}${decimals}`), scale: 10n ** BigInt(decimals.length) };
}

type SelectedModel = ListedSelection & {
  facts: NonNullable<Selection['facts']>;
  parameters: NonNullable<Selection['provider_parameters']>;
};

interface Found {
  place: SelectedPlace;
  data: ListedModel;
  /** Whether the listed reasoning price applies to every output token of an answer that contains reasoning. */
  hasThinkingPrice: boolean;
}

/** Adds the provider's price, without the markup, to each endpoint as service cost, except for videos. */
function withServiceCost(
  offered: ImportedModel,
  wanted: SelectedModel,
  found: Found[],
  { rubPerUsd }: Conversion,
): ImportedModel {
  const bought = catalogModel(wanted, found, { rubPerUsd, markupPercent: '0' });
  return {
    ...offered,
    endpoints: offered.endpoints.map((endpoint, index) => {
      const cost = bought.endpoints[index]!.pricing;
      return cost && wanted.output_modalities?.includes('video') !== true
        ? { ...endpoint, service_cost: cost }
        : endpoint;
    }),
  };
}

/**
 * Returns the free variant of a model: its price is 0, and its service cost is the provider's price without a markup.
 */
function freeModel(
  wanted: SelectedModel,
  found: Found[],
  { rubPerUsd, terms }: Conversion & { terms: object },
): object {
  const model = catalogModel(wanted, found, { rubPerUsd, markupPercent: '0' });
  return {
    ...model,
    id: `${model.id}:free`,
    permaslug: `${model.permaslug}:free`,
    name: `${model.name} (free)`,
    service_free: terms,
    endpoints: model.endpoints.map(({ pricing: cost, quirks, ...endpoint }) => ({
      ...endpoint,
      id: `${endpoint.id}:free`,
      ...(cost ? { pricing: { prompt: '0', completion: '0' }, service_cost: cost } : {}),
      ...(quirks ? { quirks } : {}),
    })),
  };
}

interface ImportedEndpoint {
  id: string;
  pricing?: unknown;
  quirks?: unknown;
  [fact: string]: unknown;
}

interface ImportedModel {
  id: string;
  permaslug: string;
  name: string;
  endpoints: ImportedEndpoint[];
  [fact: string]: unknown;
}

function catalogModel(wanted: SelectedModel, found: Found[], conversion: Conversion): ImportedModel {
  const { data } = found[0]!;
  const released = wanted.created ?? data.release_date;
  if (released === undefined) {
    throw new StartFailure(`selection: add created to "${wanted.id}", because the price lists contain no release date`);
  }
  const outputModalities = wanted.output_modalities ?? data.modalities.output;
  const isText = outputModalities.includes('text');
  const context = found[0]!.place.limit?.context ?? Number(data.limit.context);
  const inputs = wanted.input_modalities ?? union(found.map(inputModalitiesOf));
  const parameters = found.map((one) => supportedParameters(one, wanted, isText));
  const allParameters = importedParameters.filter((name) => parameters.some((names) => names.includes(name)));
  return {
    id: wanted.id,
    permaslug: `${wanted.id}-${released.replaceAll('-', '')}`,
    name: wanted.name ?? data.name,
    created: released.length === 10 ? released : `${released}-01`,
    ...(data.knowledge ? { knowledge_cutoff: data.knowledge } : {}),
    ...(context > 0 ? { context_length: context } : {}),
    input_modalities: inputs,
    output_modalities: outputModalities,
    supported_parameters: allParameters,
    ...(wanted.categories ? { categories: wanted.categories } : {}),
    endpoints: found.map((one, index) => ({
      ...catalogEndpoint(one, wanted, isText, conversion),
      ...fieldIfFewer('input_modalities', inputs, wanted.input_modalities ? inputsOf(one) : inputModalitiesOf(one)),
      ...fieldIfFewer('supported_parameters', allParameters, parameters[index]!),
    })),
  };
}

function catalogEndpoint(
  { place, data, hasThinkingPrice }: Found,
  wanted: SelectedModel,
  isText: boolean,
  conversion: Conversion,
): ImportedEndpoint {
  const context = place.limit?.context ?? Number(data.limit.context);
  const output = place.limit?.output ?? Number(data.limit.output);
  const cost = place.usd ?? data.cost;
  const end = place.ends ? { valid_until: place.ends } : {};
  const own = place.wire ? place.quirks : { ...wanted.quirks, ...place.quirks };
  const quirks = withFacts(own, { model: wanted.id, provider: place.provider }, wanted.facts);
  return {
    id: `${place.provider}/${wanted.id}`,
    provider: place.provider,
    upstream_model: place.model,
    ...(context > 0 ? { context_length: context } : {}),
    ...(isText ? { max_output_tokens: Math.min(output, context) } : {}),
    ...(place.quantization ? { quantization: place.quantization } : {}),
    ...(isText && !wanted.wire && !place.wire ? {} : { wire: place.wire ?? wireOf(wanted) }),
    ...(place.flat_price ? { flat_price: true } : {}),
    ...(cost ? { pricing: pricing({ ...cost, ...end }, { wanted, hasThinkingPrice }, conversion) } : {}),
    ...(Object.keys(quirks).length > 0 ? { quirks } : {}),
  };
}

/** Returns an object with the values that an endpoint supports; empty if it supports all values of its model. */
function fieldIfFewer(field: string, all: string[], own: string[]): object {
  const supported = all.filter((name) => own.includes(name));
  return supported.length === all.length ? {} : { [field]: supported };
}

function inputsOf({ place, data }: Found): string[] {
  return place.input_modalities ?? union([data.modalities.input.map((name) => (name === 'pdf' ? 'file' : name))]);
}

/**
 * Returns the input modalities of an endpoint. For text models, audio is included only if the selection lists it,
 * because an audio token may cost more than a text token.
 */
function inputModalitiesOf(one: Found): string[] {
  const inputs = inputsOf(one);
  if (one.place.input_modalities || !one.data.modalities.output.includes('text')) return inputs;
  return inputs.filter((name) => name !== 'audio');
}

function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

/**
 * Returns the wire (API format) that the selection specifies for a model without text output. The provider's default
 * wire is only for text.
 * @throws {StartFailure} if the model has no wire
 */
function wireOf({ id, wire }: SelectedModel): string {
  if (wire === undefined) throw new StartFailure(`selection: add wire to "${id}", because it has no text output`);
  return wire;
}

/** Returns the parameters of an endpoint. Without text output, they come only from the selection. */
function supportedParameters({ place, data }: Found, wanted: SelectedModel, isText: boolean): string[] {
  const listed = new Set<string>([
    ...(isText ? textParameters(place, data) : []),
    ...(isText ? knownParameters(place, data, wanted) : []),
    ...(place.with_parameters ?? []),
    ...(wanted.with_parameters ?? []),
  ]);
  const refused = new Set<string>([...(wanted.without_parameters ?? []), ...(place.without_parameters ?? [])]);
  return importedParameters.filter((parameter) => listed.has(parameter) && !refused.has(parameter));
}

const tunings: ReadonlySet<string> = new Set(tuningParameters.filter((name) => name !== 'verbosity'));

/**
 * Returns the parameters that the selection adds. If a model has a fixed temperature, other sampling parameters are
 * omitted unless a selection entry names the model itself.
 */
function knownParameters({ provider, wire }: SelectedPlace, data: Found['data'], wanted: SelectedModel): string[] {
  const place = { model: wanted.id, provider, wire: wire ?? wanted.wire, reasons: data.reasoning };
  const ofModel = wanted.parameters.filter(({ models }) => models !== undefined);
  const accepted = providerParameters(wanted.parameters, place);
  const free = data.temperature === false ? accepted.filter((name) => !tunings.has(name)) : accepted;
  return [...free, ...providerParameters(ofModel, place)];
}

function textParameters(place: Found['place'], data: Found['data']): string[] {
  return [
    'max_tokens',
    'stop',
    ...(data.temperature === false ? [] : ['temperature', 'top_p']),
    ...(data.temperature !== false && place.provider === 'anthropic' ? ['top_k'] : []),
    ...(data.tool_call ? ['tools', 'tool_choice'] : []),
    ...(data.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(data.structured_output ? ['structured_outputs', 'response_format'] : []),
  ];
}

type Prices = { [Name in keyof Omit<ListedCost, 'tiers'>]?: string | undefined };
type Tiers = Pick<ListedCost, 'tiers'>;

function pricing(
  cost: DatedCost,
  { wanted, hasThinkingPrice }: Pick<Found, 'hasThinkingPrice'> & { wanted: SelectedModel },
  conversion: Conversion,
): unknown {
  const { cache_write_1h_multiple: writeMultiple, usd_per_thousand_requests: fee } = wanted;
  const request = fee === undefined ? {} : { request: convertPrice(fee, conversion, 1_000n).toString() };
  const price = (usd: string | undefined) => (usd === undefined ? undefined : convertPrice(usd, conversion).toString());
  // A listed cache price of 0 counts as missing unless the input price is 0 too.
  const cachePrice = ({ input }: Prices, usd: string | undefined) =>
    isZeroPrice(usd) && !isZeroPrice(input) ? undefined : price(usd);
  const prices = (own: Prices) => ({
    prompt: price(own.input),
    completion: price(own.output),
    input_cache_read: cachePrice(own, own.cache_read),
    input_cache_write: cachePrice(own, own.cache_write),
    [hasThinkingPrice ? 'thinking_completion' : 'internal_reasoning']: price(own.reasoning),
    input_cache_write_1h:
      writeMultiple && own.input
        ? convertPrice(own.input, conversion).times(writeMultiple).toString()
        : cachePrice(own, own.cache_write_1h),
  });
  const overrides = ({ tiers }: Tiers) =>
    tiers
      ? { overrides: tiers.map((tier) => ({ min_prompt_tokens: Number(tier.tier.size), ...prices(tier) })) }
      : undefined;
  const periods = cost.periods?.map((period) => ({ ...validity(period), ...prices(period), ...overrides(period) }));
  return { ...validity(cost), ...prices(cost), ...request, ...overrides(cost), ...(periods ? { periods } : {}) };
}

function validity({ valid_from, valid_until }: Pick<DatedCost, 'valid_from' | 'valid_until'>) {
  return { valid_from, valid_until };
}
