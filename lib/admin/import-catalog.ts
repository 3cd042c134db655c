/**
 * Turns a price list in the shape of models.dev (USD per million tokens) into model files of the catalog (RUB per
 * token). Arithmetic is exact: numbers are read from their source text, and what does not end at 10⁻¹² RUB is rounded
 * up, so that an imported price never falls below what the provider charges.
 */

import { z } from 'zod';
import { Money } from '../../lambdas/money/money.ts';

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

/** Which models to import, under which id, and where each can be reached. */
export const selectionSchema = z.strictObject({
  /** Providers that charge per request, which the source does not know: their models need a fee. */
  per_request_fee: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      from: z
        .array(
          z.strictObject({
            provider: z.string(),
            model: z.string(),
            /** Under which the list has it, where that is another name or provider. */
            listed_as: z.strictObject({ provider: z.string(), model: z.string() }).optional(),
            /** Of this endpoint, in the place of those of all endpoints. */
            wire: z.string().optional(),
            quirks: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .min(1),
      /** What the endpoints accept, where it is less than the source says of the model. */
      input_modalities: z.array(z.string()).optional(),
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
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;

/** RUB for one USD, and what is added on top, both as decimal text. */
export interface Conversion {
  rubPerUsd: string;
  markupPercent: string;
}

/** @returns files by name (author.json) with their JSON content. @throws {Error} naming what the source lacks. */
export function importCatalog(sourceText: string, selection: Selection, conversion: Conversion): Map<string, unknown> {
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
      const { provider, model } = place.listed_as ?? place;
      const data = source[provider]?.models[model];
      if (data === undefined) throw new Error(`The source has no model "${model}" of provider "${provider}"`);
      if (selection.per_request_fee?.includes(provider) && wanted.usd_per_thousand_requests === undefined) {
        throw new Error(
          `"${wanted.id}" needs usd_per_thousand_requests in the selection: "${provider}" charges for each request`,
        );
      }
      return { place, data: sourceModelSchema.parse(data) };
    });
    fileOf(wanted.id).models.push(catalogModel(wanted, found, conversion));
  }
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
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`"${text}" is not a plain decimal number`);
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

function catalogModel(
  wanted: Selection['models'][number],
  found: { place: Selection['models'][number]['from'][number]; data: SourceModel }[],
  conversion: Conversion,
): unknown {
  const { data } = found[0]!;
  const outputModalities = wanted.output_modalities ?? data.modalities.output;
  const isText = outputModalities.includes('text');
  const context = Number(data.limit.context);
  return {
    id: wanted.id,
    permaslug: `${wanted.id}-${data.release_date.replaceAll('-', '')}`,
    name: data.name,
    created: data.release_date.length === 10 ? data.release_date : `${data.release_date}-01`,
    ...(data.knowledge ? { knowledge_cutoff: data.knowledge } : {}),
    ...(context > 0 ? { context_length: context } : {}),
    input_modalities: wanted.input_modalities ?? [
      ...new Set(data.modalities.input.map((name) => (name === 'pdf' ? 'file' : name))),
    ],
    output_modalities: outputModalities,
    supported_parameters: isText
      ? supportedParameters(data, found[0]!.place.provider, wanted.without_parameters ?? [])
      : [],
    endpoints: found.map(({ place: { provider, model, wire = wanted.wire, quirks = wanted.quirks }, data: own }) => ({
      id: `${provider}/${wanted.id}`,
      provider,
      upstream_model: model,
      ...(Number(own.limit.context) > 0 ? { context_length: Number(own.limit.context) } : {}),
      ...(isText ? { max_output_tokens: Math.min(Number(own.limit.output), Number(own.limit.context)) } : {}),
      ...(isText && !wire ? {} : { wire: wireOf(wanted.id, wire) }),
      ...(own.cost ? { pricing: pricing(own.cost, wanted, conversion) } : {}),
      ...(quirks ? { quirks } : {}),
    })),
  };
}

/** A provider's own wire is one for text. */
function wireOf(id: string, wire: string | undefined): string {
  if (wire === undefined) throw new Error(`selection: "${id}" makes no text: say which wire its endpoints speak`);
  return wire;
}

function supportedParameters(data: SourceModel, provider: string, without: string[]): string[] {
  const all = [
    'max_tokens',
    'stop',
    ...(data.temperature === false ? [] : ['temperature', 'top_p']),
    ...(data.temperature !== false && provider === 'anthropic' ? ['top_k'] : []),
    ...(data.tool_call ? ['tools', 'tool_choice'] : []),
    ...(data.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(data.structured_output ? ['structured_outputs', 'response_format'] : []),
  ];
  return all.filter((parameter) => !without.includes(parameter));
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
