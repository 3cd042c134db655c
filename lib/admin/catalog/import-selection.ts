/** Selection of the models to import from price lists into the catalog, with facts that the lists lack. */

import * as z from 'zod';
import { costSchema, decimal } from '../price-lists/price-list.ts';

/** Parameters that an import may list, in the order in which the catalog lists them. */
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

/** Period in which prices apply, as in the catalog. */
const validity = { valid_from: z.string().optional(), valid_until: z.string().optional() };

const datedCostSchema = z.strictObject({
  ...costSchema.shape,
  ...validity,
  /** Prices that apply in other periods, as in the catalog. */
  periods: z
    .array(z.strictObject({ ...costSchema.shape, ...validity, input: decimal.optional(), output: decimal.optional() }))
    .min(1)
    .optional(),
});
export type DatedCost = z.infer<typeof datedCostSchema>;

/** Endpoint to import: the provider, the provider's name for the model, and corrections of the price list. */
const placeSchema = z.strictObject({
  ...listPlaceSchema.shape,
  /** List entry whose facts are used, and whose prices are used if the endpoint's own entry has none. */
  like: listPlaceSchema.optional(),
  /**
   * Prices in USD per million tokens, which replace the listed prices. Apart from `ends`, only prices given here can
   * have dates.
   */
  usd: datedCostSchema.optional(),
  /** Source of the prices in `usd`. */
  usd_source: z.url().optional(),
  /** Time at which the provider retires the model. The endpoint's prices end then, so it gets no more requests. */
  ends: z.string().optional(),
  /** Source of `ends`. */
  ends_source: z.url().optional(),
  /** Whether one price applies to prompts of every length, as in the catalog. */
  flat_price: z.literal(true).optional(),
  limit: z.strictObject({ context: z.int().positive(), output: z.int().positive() }).optional(),
  quantization: z.string().optional(),
  /** Wire (API format) of this endpoint, if it differs from the provider's and the model's wire. */
  wire: z.string().optional(),
  /**
   * Quirks of this endpoint (differences from the wire's standard behavior), in addition to the model's quirks. If the
   * endpoint has its own wire, its quirks replace the model's quirks.
   */
  quirks: z.record(z.string(), z.unknown()).optional(),
  /** Parameters that this endpoint supports, but the price list lacks. */
  with_parameters: parameterList.optional(),
  /** Parameters that this endpoint does not support. */
  without_parameters: parameterList.optional(),
  /** Input modalities of this endpoint, which replace those of the price list. */
  input_modalities: z.array(z.string()).optional(),
});
export type SelectedPlace = z.infer<typeof placeSchema>;

/**
 * Quirks (differences from a wire's standard behavior) of the endpoints of some models, with the source, because price
 * lists lack such facts.
 */
const factSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  models: z.array(z.string()).min(1),
  /** Providers to which the fact applies; default: all. */
  providers: z.array(z.string()).min(1).optional(),
  quirks: z.record(z.string(), z.unknown()),
});

/** Parameters that providers support for text models, but all price lists lack, with the source. */
const providerParametersSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  providers: z.array(z.string()).min(1),
  /** Wire of the endpoints to which the entry applies, if it differs from the provider's wire. */
  wire: z.string().optional(),
  /** Ids of the models to which the entry applies; default: all models. */
  models: z.array(z.string()).min(1).optional(),
  /**
   * Whether the entry applies only to models with reasoning (true) or only to models without reasoning (false). By
   * default, the entry applies to all models.
   */
  reasons: z.boolean().optional(),
  parameters: parameterList,
});
export type ProviderParameters = z.infer<typeof providerParametersSchema>;

/** Models to import, with the catalog id and the providers of each. */
export const selectionSchema = z.strictObject({
  /** Whether endpoints, except for videos, also get a service cost: the listed price without the markup. */
  service_cost: z.boolean().optional(),
  /**
   * Providers that charge a fee per request. Price lists lack this fee, so each model of these providers needs
   * `usd_per_thousand_requests`.
   */
  per_request_fee: z.array(z.string()).optional(),
  /** Providers whose listed reasoning price applies to every output token of an answer that contains reasoning. */
  thinking_prices: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      /** Model name that replaces the name in the price list. */
      name: z.string().optional(),
      /**
       * Release date, which replaces the date in the price list. It becomes part of `permaslug`, so it must never
       * change.
       */
      created: z.iso.date().optional(),
      from: z.array(placeSchema).min(1),
      /** Input modalities of the model, if they differ from those of its endpoints in the price list. */
      input_modalities: z.array(z.string()).optional(),
      /** Categories, as in the catalog. */
      categories: z.array(z.string()).optional(),
      /** Output modalities of a model that the price list describes as a text model. */
      output_modalities: z.array(z.string()).optional(),
      /** Wire of the endpoints, as in the catalog. */
      wire: z.string().optional(),
      quirks: z.record(z.string(), z.unknown()).optional(),
      /** Parameters that all endpoints support, but the price list lacks. */
      with_parameters: parameterList.optional(),
      /** Parameters in the price list that the endpoints do not support. */
      without_parameters: parameterList.optional(),
      /** Price of a one-hour cache write as a multiple of the input price. It replaces a listed price. */
      cache_write_1h_multiple: z.int().positive().optional(),
      /** Fee per thousand requests in USD, as decimal text. */
      usd_per_thousand_requests: decimal.optional(),
    }),
  ),
  /**
   * Facts about models, with sources. If several facts apply to an endpoint, their `lacks` lists are merged; for any
   * other quirk, the last value applies.
   */
  facts: z.array(factSchema).optional(),
  provider_parameters: z.array(providerParametersSchema).optional(),
  /** Ids of models that also have a free variant, and the common terms of these variants. */
  free: z.strictObject({ terms: z.record(z.string(), z.unknown()), models: z.array(z.string()).min(1) }).optional(),
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;
export type SelectedModel = Selection['models'][number];
