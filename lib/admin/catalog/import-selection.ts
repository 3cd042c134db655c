import * as z from 'zod';
import { costSchema, decimal } from '../price-lists/price-list.ts';

/** Parameters in the order in which the catalog lists them. */
export const importedParameters = [
  'max_tokens',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'verbosity',
  'tools',
  'tool_choice',
  'reasoning',
  'include_reasoning',
  'structured_outputs',
  'response_format',
  'dimensions',
  'input_type',
] as const;
const parameterList = z.array(z.enum(importedParameters)).min(1);

const listPlaceSchema = z.strictObject({ provider: z.string(), model: z.string() });

const validity = { valid_from: z.string().optional(), valid_until: z.string().optional() };

const datedCostSchema = z.strictObject({
  ...costSchema.shape,
  ...validity,
  periods: z
    .array(z.strictObject({ ...costSchema.shape, ...validity, input: decimal.optional(), output: decimal.optional() }))
    .min(1)
    .optional(),
});
export type DatedCost = z.infer<typeof datedCostSchema>;

const placeSchema = z.strictObject({
  ...listPlaceSchema.shape,
  /** List entry whose facts are used, and whose prices are used if the endpoint's own entry has none. */
  like: listPlaceSchema.optional(),
  /**
   * Prices in USD per million tokens, which replace the listed prices. Only these prices can have
   * periods; listed prices can only end (`ends`).
   */
  usd: datedCostSchema.optional(),
  usd_source: z.url().optional(),
  /** Time at which the provider retires the model, and the end of the endpoint's prices. */
  ends: z.string().optional(),
  ends_source: z.url().optional(),
  /** Whether one price applies to prompts of every length. */
  flat_price: z.literal(true).optional(),
  limit: z.strictObject({ context: z.int().positive(), output: z.int().positive() }).optional(),
  quantization: z.string().optional(),
  /** Wire (API format), if it differs from the provider's and the model's wire. */
  wire: z.string().optional(),
  /**
   * Quirks (differences from the wire's standard behavior), in addition to the model's quirks. If the endpoint has its
   * own wire, its quirks replace the model's quirks.
   */
  quirks: z.record(z.string(), z.unknown()).optional(),
  /** Parameters that the endpoint supports, but the price list lacks. */
  with_parameters: parameterList.optional(),
  without_parameters: parameterList.optional(),
  /** Input modalities that replace those of the price list. */
  input_modalities: z.array(z.string()).optional(),
});
export type SelectedPlace = z.infer<typeof placeSchema>;

/** Quirks of the endpoints of some models, with the source. */
const factSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  models: z.array(z.string()).min(1),
  /** Providers to which the fact applies; default: all. */
  providers: z.array(z.string()).min(1).optional(),
  quirks: z.record(z.string(), z.unknown()),
});

/** Parameters that providers support for text models, but price lists lack, with the source. */
const providerParametersSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  providers: z.array(z.string()).min(1),
  /** Wire of the endpoints to which the entry applies, if it differs from the provider's wire. */
  wire: z.string().optional(),
  /** Ids of the models to which the entry applies; default: all. */
  models: z.array(z.string()).min(1).optional(),
  /** Whether the entry applies only to models with reasoning (true) or without (false); default: to all. */
  reasons: z.boolean().optional(),
  parameters: parameterList,
});
export type ProviderParameters = z.infer<typeof providerParametersSchema>;

export const selectionSchema = z.strictObject({
  /** Whether endpoints, except for videos, also get a service cost: the listed price without the markup. */
  service_cost: z.boolean().optional(),
  /** Providers that charge a fee per request: their models need `usd_per_thousand_requests`. */
  per_request_fee: z.array(z.string()).optional(),
  /** Providers whose listed reasoning price applies to every output token of an answer that contains reasoning. */
  thinking_prices: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      /** Name that replaces the name in the price list. */
      name: z.string().optional(),
      /** Replaces the date in the price list. It is a part of `permaslug`, so it must never change. */
      created: z.iso.date().optional(),
      from: z.array(placeSchema).min(1),
      /** Input modalities of the model, if they differ from the price list's. */
      input_modalities: z.array(z.string()).optional(),
      categories: z.array(z.string()).optional(),
      /** Output modalities, if they differ from those in the price list. */
      output_modalities: z.array(z.string()).optional(),
      wire: z.string().optional(),
      quirks: z.record(z.string(), z.unknown()).optional(),
      /** Parameters that all endpoints of the model support, but the price list lacks. */
      with_parameters: parameterList.optional(),
      /** Listed parameters that the endpoints do not support. */
      without_parameters: parameterList.optional(),
      /** Price of a one-hour cache write as a multiple of the input price, instead of a listed price. */
      cache_write_1h_multiple: z.int().positive().optional(),
      /** Fee in USD per thousand requests, as decimal text. */
      usd_per_thousand_requests: decimal.optional(),
    }),
  ),
  /**
   * If several facts apply to an endpoint, their `lacks` lists are merged; for any other quirk, the last value applies.
   */
  facts: z.array(factSchema).optional(),
  provider_parameters: z.array(providerParametersSchema).optional(),
  /** Ids of models that also have a free variant, and the terms of these variants. */
  free: z.strictObject({ terms: z.record(z.string(), z.unknown()), models: z.array(z.string()).min(1) }).optional(),
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;
export type SelectedModel = Selection['models'][number];
