/**
 * Turns a price list in the shape of models.dev (USD per million tokens) into model files of the catalog (RUB per
 * token). Arithmetic is exact: numbers are read from their source text, and what does not end at 10⁻¹² RUB is rounded
 * up, so that an imported price never falls below what the provider charges.
 */

import * as z from 'zod';
import { Money } from '../../lambdas/money/money.ts';
import { StartFailure } from '../local/failure.ts';

const decimal = z.string().regex(/^\d+(\.\d+)?$/);

const costSchema = z.object({
  input: decimal,
  output: decimal,
  cache_read: decimal.optional(),
  cache_write: decimal.optional(),
  reasoning: decimal.optional(),
  tiers: z
    .array(
      z.object({
        input: decimal.optional(),
        output: decimal.optional(),
        cache_read: decimal.optional(),
        cache_write: decimal.optional(),
        tier: z.object({ size: z.string() }),
      }),
    )
    .optional(),
});
type Cost = z.infer<typeof costSchema>;

const sourceModelSchema = z.object({
  name: z.string(),
  cost: costSchema.optional(),
  limit: z.object({ context: z.string(), output: z.string() }),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  temperature: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  release_date: z.string(),
  knowledge: z.string().optional(),
});
type SourceModel = z.infer<typeof sourceModelSchema>;

const sourceSchema = z.record(z.string(), z.object({ models: z.record(z.string(), z.unknown()) }));

const listed = z.strictObject({ provider: z.string(), model: z.string() });

/** One place where a model can be reached: a provider, and the name that it has for the model. */
const placeSchema = z.strictObject({
  ...listed.shape,
  /** Where the list has the facts of a model that it does not have of this provider. */
  like: listed.optional(),
  /** Prices in USD per million tokens, where they are not those of the list. */
  usd: costSchema.omit({ tiers: true }).strict().optional(),
  limit: z.strictObject({ context: z.int().positive(), output: z.int().positive() }).optional(),
  quantization: z.string().optional(),
  /** Its wire, where it is neither its provider's nor the model's. */
  wire: z.string().optional(),
  /** Of this endpoint, besides those of the model; on a wire of its own, in their place. */
  quirks: z.record(z.string(), z.unknown()).optional(),
  /** Parameters that this endpoint takes, although the list does not say so. */
  with_parameters: z.array(z.string()).optional(),
  /** Parameters that only this endpoint refuses. */
  without_parameters: z.array(z.string()).optional(),
  /** What this endpoint accepts, where it is less than the list says. */
  input_modalities: z.array(z.string()).optional(),
});
type Place = z.infer<typeof placeSchema>;

/** Which models to import, under which id, and where each can be reached. */
export const selectionSchema = z.strictObject({
  /** Providers that charge per request, which the source does not know: their models need a fee. */
  per_request_fee: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      from: z.array(placeSchema).min(1),
      /** What the endpoints accept, where it is less than the source says of the model. */
      input_modalities: z.array(z.string()).optional(),
      /** As in the catalog. */
      categories: z.array(z.string()).optional(),
      /** For models that the source marks as text. */
      output_modalities: z.array(z.string()).optional(),
      /** Of its endpoints, as in the catalog. */
      wire: z.string().optional(),
      quirks: z.record(z.string(), z.unknown()).optional(),
      /** Parameters that are refused, although the source lists them. */
      without_parameters: z.array(z.string()).optional(),
      /** Price of writing a one-hour cache as a multiple of the input price, where the source lacks it. */
      cache_write_1h_multiple: z.int().positive().optional(),
      /** Fee of a thousand requests in USD, as decimal text. */
      usd_per_thousand_requests: decimal.optional(),
    }),
  ),
  /** Models of the selection that are offered free as well, with the terms of all of them. */
  free: z.strictObject({ terms: z.record(z.string(), z.unknown()), models: z.array(z.string()).min(1) }).optional(),
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;

/** RUB for one USD, and what is added on top, both as decimal text. */
export interface Conversion {
  rubPerUsd: string;
  markupPercent: string;
}

/** @returns files by name (author.json) with their JSON content. @throws {Error} naming what the source lacks. */
export function importCatalog(
  sourceText: string,
  selection: Selection,
  conversion: Conversion,
): Map<string, { models: unknown[]; aliases: unknown[] }> {
  const source = sourceSchema.parse(parseExactly(sourceText));
  const files = new Map<string, { models: unknown[]; aliases: unknown[] }>();
  const fileOf = (id: string) => {
    const name = `${id.split('/')[0]}.json`;
    const file = files.get(name) ?? { models: [], aliases: [] };
    files.set(name, file);
    return file;
  };
  for (const wanted of selection.models) {
    const found = wanted.from.map((place) => {
      const { provider, like: { provider: listedOf, model } = place } = place;
      const data = source[listedOf]?.models[model];
      if (data === undefined) throw new StartFailure(`The source has no model "${model}" of provider "${listedOf}"`);
      if (selection.per_request_fee?.includes(provider) && wanted.usd_per_thousand_requests === undefined) {
        throw new StartFailure(
          `"${wanted.id}" needs usd_per_thousand_requests in the selection: "${provider}" charges for each request`,
        );
      }
      return { place, data: sourceModelSchema.parse(data) };
    });
    fileOf(wanted.id).models.push(catalogModel(wanted, found, conversion));
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

/** JSON with every number as its source text. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context!.source : value;
}

interface Found {
  place: Place;
  data: SourceModel;
}

/** The free variant of a model: its client pays nothing, and the service what the provider charges, without a markup. */
function freeModel(
  wanted: Selection['models'][number],
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

function catalogModel(wanted: Selection['models'][number], found: Found[], conversion: Conversion): ImportedModel {
  const { data } = found[0]!;
  const outputModalities = wanted.output_modalities ?? data.modalities.output;
  const isText = outputModalities.includes('text');
  const context = found[0]!.place.limit?.context ?? Number(data.limit.context);
  const inputs = wanted.input_modalities ?? union(found.map(inputsOf));
  const parameters = found.map((one) => (isText ? supportedParameters(one, wanted.without_parameters ?? []) : []));
  const allParameters = parameterNames.filter((name) => parameters.some((names) => names.includes(name)));
  return {
    id: wanted.id,
    permaslug: `${wanted.id}-${data.release_date.replaceAll('-', '')}`,
    name: data.name,
    created: data.release_date.length === 10 ? data.release_date : `${data.release_date}-01`,
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
  { place, data }: Found,
  wanted: Selection['models'][number],
  isText: boolean,
  conversion: Conversion,
): ImportedEndpoint {
  const context = place.limit?.context ?? Number(data.limit.context);
  const output = place.limit?.output ?? Number(data.limit.output);
  const cost = place.usd ?? data.cost;
  const quirks = place.wire ? place.quirks : { ...wanted.quirks, ...place.quirks };
  return {
    id: `${place.provider}/${wanted.id}`,
    provider: place.provider,
    upstream_model: place.model,
    ...(context > 0 ? { context_length: context } : {}),
    ...(isText ? { max_output_tokens: Math.min(output, context) } : {}),
    ...(place.quantization ? { quantization: place.quantization } : {}),
    ...(isText && !wanted.wire && !place.wire ? {} : { wire: place.wire ?? wireOf(wanted) }),
    ...(cost ? { pricing: pricing(cost, wanted, conversion) } : {}),
    ...(quirks && Object.keys(quirks).length > 0 ? { quirks } : {}),
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

function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

/** A provider's own wire is one for text. */
function wireOf({ id, wire }: Selection['models'][number]): string {
  if (wire === undefined)
    throw new StartFailure(`selection: "${id}" makes no text: say which wire its endpoints speak`);
  return wire;
}

/** In the order in which the catalog lists them. */
const parameterNames = [
  'max_tokens',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'reasoning',
  'include_reasoning',
  'structured_outputs',
  'response_format',
];

function supportedParameters({ place, data }: Found, without: string[]): string[] {
  const taken = new Set([
    'max_tokens',
    'stop',
    ...(data.temperature === false ? [] : ['temperature', 'top_p']),
    ...(data.temperature !== false && place.provider === 'anthropic' ? ['top_k'] : []),
    ...(data.tool_call ? ['tools', 'tool_choice'] : []),
    ...(data.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(data.structured_output ? ['structured_outputs', 'response_format'] : []),
    ...(place.with_parameters ?? []),
  ]);
  const refused = new Set([...without, ...(place.without_parameters ?? [])]);
  return parameterNames.filter((parameter) => taken.has(parameter) && !refused.has(parameter));
}

function pricing(cost: Cost, wanted: Selection['models'][number], conversion: Conversion): unknown {
  const { cache_write_1h_multiple: writeMultiple, usd_per_thousand_requests: fee } = wanted;
  const request = fee === undefined ? {} : { request: convertPrice(fee, conversion, 1_000n).toString() };
  const price = (usd: string | undefined) => (usd === undefined ? undefined : convertPrice(usd, conversion).toString());
  const prices = (own: { [Name in keyof Omit<Cost, 'tiers'>]?: string | undefined }) => ({
    prompt: price(own.input),
    completion: price(own.output),
    input_cache_read: price(own.cache_read),
    input_cache_write: price(own.cache_write),
    internal_reasoning: price(own.reasoning),
    input_cache_write_1h:
      writeMultiple && own.input ? convertPrice(own.input, conversion).times(writeMultiple).toString() : undefined,
  });
  const overrides = cost.tiers?.map((tier) => ({ min_prompt_tokens: Number(tier.tier.size), ...prices(tier) }));
  return { ...prices(cost), ...request, ...(overrides ? { overrides } : {}) };
}
