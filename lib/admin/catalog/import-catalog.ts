/**
 * Turns price lists (USD per million tokens) into model files of the catalog (RUB per token). Arithmetic is exact:
 * numbers are read from their source text, and what does not end at 10⁻¹² RUB is rounded up, so that an imported price
 * never falls below what the provider charges.
 */

import { tuningParameters } from '../../../lambdas/catalog/sampling-parameters.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { StartFailure } from '../../shared/failure.ts';
import {
  importedParameters,
  type SelectedModel as ListedSelection,
  type SelectedPlace,
  type Selection,
} from './import-selection.ts';
import { providerParameters, withFacts } from './model-facts.ts';
import {
  findListed,
  listedModelSchema,
  type ListedCost,
  type ListedModel,
  type PriceList,
} from '../price-lists/price-list.ts';

/** RUB for one USD, and what is added on top, both as decimal text. */
export interface Conversion {
  rubPerUsd: string;
  markupPercent: string;
}

/**
 * @param lists the oldest first, see `findListed`
 * @returns files by name (author.json) with their JSON content. @throws {Error} naming what the lists lack.
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
          `"${wanted.id}" needs usd_per_thousand_requests in the selection: "${place.provider}" charges for each request`,
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
    throw new StartFailure(`selection: free.models names "${unknown}", which models does not have`);
  for (const alias of selection.aliases) fileOf(alias.alias).aliases.push(alias);
  return files;
}

/** Reads what the lists say of a place, or of the place that the selection names as like it; then only its facts count. */
function listedAt(place: SelectedPlace, lists: readonly PriceList[]): ListedModel {
  const { provider, model } = place.like ?? place;
  const described = findListed(lists, { provider, model });
  if (described === undefined) throw new StartFailure(`The source has no model "${model}" of provider "${provider}"`);
  const data = parseListedModel(described, `${provider}: ${model}`);
  const own = place.like && findListed(lists, place);
  const cost = own && listedModelSchema.pick({ cost: true }).safeParse(own).data?.cost;
  return cost ? { ...data, cost } : data;
}

function parseListedModel(described: object, place: string): ListedModel {
  const { data, error } = listedModelSchema.safeParse(described);
  if (data) return data;
  const [issue] = error.issues;
  throw new StartFailure(`The source does not describe "${place}": ${issue!.path.join('.')}: ${issueText(issue!)}`);
}

/** USD per million tokens (or another number of units) as RUB per one, rounded up at 10⁻¹² RUB. */
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

/** A model of the selection with all facts. */
type SelectedModel = ListedSelection & {
  facts: NonNullable<Selection['facts']>;
  parameters: NonNullable<Selection['provider_parameters']>;
};

interface Found {
  place: SelectedPlace;
  data: ListedModel;
  /** The listed price of reasoning is that of each token of an answer with reasoning. */
  hasThinkingPrice: boolean;
}

/** A model whose endpoints say what they cost the service; videos have no such price. */
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

/** The free variant of a model: its client pays nothing, and the service what the provider charges, without a markup. */
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
    throw new StartFailure(`selection: "${wanted.id}" needs created: the source does not say when it was released`);
  }
  const outputModalities = wanted.output_modalities ?? data.modalities.output;
  const isText = outputModalities.includes('text');
  const context = found[0]!.place.limit?.context ?? Number(data.limit.context);
  const inputs = wanted.input_modalities ?? union(found.map(promisedInputs));
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
      ...fewer('input_modalities', inputs, inputsOf(one)),
      ...fewer('supported_parameters', allParameters, parameters[index]!),
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
    ...(cost ? { pricing: pricing(cost, { wanted, hasThinkingPrice }, conversion) } : {}),
    ...(Object.keys(quirks).length > 0 ? { quirks } : {}),
  };
}

/** What one endpoint takes, where it is less than what the model takes somewhere. */
function fewer(field: string, all: string[], own: string[]): object {
  const taken = all.filter((name) => own.includes(name));
  return taken.length === all.length ? {} : { [field]: taken };
}

function inputsOf({ place, data }: Found): string[] {
  return place.input_modalities ?? union([data.modalities.input.map((name) => (name === 'pdf' ? 'file' : name))]);
}

/** Audio of a model that writes text has to stand in the selection: a token of it may cost more than one of text. */
function promisedInputs(one: Found): string[] {
  const inputs = inputsOf(one);
  if (one.place.input_modalities || !one.data.modalities.output.includes('text')) return inputs;
  return inputs.filter((name) => name !== 'audio');
}

function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

/** A provider's own wire is one for text. */
function wireOf({ id, wire }: SelectedModel): string {
  if (wire === undefined)
    throw new StartFailure(`selection: "${id}" makes no text: say which wire its endpoints speak`);
  return wire;
}

/** The list tells parameters of models that write texts; those of others are only in the selection. */
function supportedParameters({ place, data }: Found, wanted: SelectedModel, isText: boolean): string[] {
  const taken = new Set<string>([
    ...(isText ? textParameters(place, data) : []),
    ...(isText ? knownParameters(place, data, wanted) : []),
    ...(place.with_parameters ?? []),
    ...(wanted.with_parameters ?? []),
  ]);
  const refused = new Set<string>([...(wanted.without_parameters ?? []), ...(place.without_parameters ?? [])]);
  return importedParameters.filter((parameter) => taken.has(parameter) && !refused.has(parameter));
}

const tunings: ReadonlySet<string> = new Set(tuningParameters.filter((name) => name !== 'verbosity'));

/** Parameters that no list names. A model with a fixed temperature has all of its sampling fixed. */
function knownParameters({ provider, wire }: SelectedPlace, data: Found['data'], wanted: SelectedModel): string[] {
  const place = { model: wanted.id, provider, wire: wire ?? wanted.wire, reasons: data.reasoning };
  const taken = providerParameters(wanted.parameters, place);
  return data.temperature === false ? taken.filter((name) => !tunings.has(name)) : taken;
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

function pricing(
  cost: ListedCost,
  { wanted, hasThinkingPrice }: Pick<Found, 'hasThinkingPrice'> & { wanted: SelectedModel },
  conversion: Conversion,
): unknown {
  const { cache_write_1h_multiple: writeMultiple, usd_per_thousand_requests: fee } = wanted;
  const request = fee === undefined ? {} : { request: convertPrice(fee, conversion, 1_000n).toString() };
  const price = (usd: string | undefined) => (usd === undefined ? undefined : convertPrice(usd, conversion).toString());
  const prices = (own: { [Name in keyof Omit<ListedCost, 'tiers'>]?: string | undefined }) => ({
    prompt: price(own.input),
    completion: price(own.output),
    input_cache_read: price(own.cache_read),
    input_cache_write: price(own.cache_write),
    [hasThinkingPrice ? 'thinking_completion' : 'internal_reasoning']: price(own.reasoning),
    input_cache_write_1h:
      writeMultiple && own.input
        ? convertPrice(own.input, conversion).times(writeMultiple).toString()
        : price(own.cache_write_1h),
  });
  const overrides = cost.tiers?.map((tier) => ({ min_prompt_tokens: Number(tier.tier.size), ...prices(tier) }));
  return { ...prices(cost), ...request, ...(overrides ? { overrides } : {}) };
}
