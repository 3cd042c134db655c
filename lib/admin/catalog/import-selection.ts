/** Selection of the models to import from price lists into the catalog. It also adds facts that the lists lack. */

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

/** Times in which prices apply, as in the catalog. */
const validity = { valid_from: z.string().optional(), valid_until: z.string().optional() };

const datedCostSchema = z.strictObject({
  ...costSchema.shape,
  ...validity,
  /** Prices of other times, as in the catalog. */
  periods: z
    .array(z.strictObject({ ...costSchema.shape, ...validity, input: decimal.optional(), output: decimal.optional() }))
    .min(1)
    .optional(),
});
export type DatedCost = z.infer<typeof datedCostSchema>;

/** Endpoint to import: the provider, the provider's name for the model, and corrections of the price list. */
const placeSchema = z.strictObject({
  ...listPlaceSchema.shape,
  /** List entry whose facts are used if the list has no entry for this provider. */
  like: listPlaceSchema.optional(),
  /** Prices in USD per million tokens, which replace the listed prices. Only these prices may have dates. */
  usd: datedCostSchema.optional(),
  /** Source of the prices in `usd`. */
  usd_source: z.url().optional(),
  /** As in the catalog: whether one price applies to prompts of every length. */
  flat_price: z.literal(true).optional(),
  limit: z.strictObject({ context: z.int().positive(), output: z.int().positive() }).optional(),
  quantization: z.string().optional(),
  /** Wire (API format) of this endpoint, if it differs from the wire of the provider and of the model. */
  wire: z.string().optional(),
  /**
   * Quirks of this endpoint (its differences from the plain form of the wire), in addition to the model's quirks. If
   * the endpoint has its own wire, they replace the model's quirks.
   */
  quirks: z.record(z.string(), z.unknown()).optional(),
  /** Parameters that this endpoint supports although the price list lacks them. */
  with_parameters: parameterList.optional(),
  /** Parameters that this endpoint does not support. */
  without_parameters: parameterList.optional(),
  /** Input modalities of this endpoint, if they are fewer than in the price list. */
  input_modalities: z.array(z.string()).optional(),
});
export type SelectedPlace = z.infer<typeof placeSchema>;

/**
 * Quirks (differences from the plain form of a wire) of some models' endpoints, with the source. Price lists lack such
 * facts.
 */
const factSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  models: z.array(z.string()).min(1),
  /** Providers to which the fact applies; by default all. */
  providers: z.array(z.string()).min(1).optional(),
  quirks: z.record(z.string(), z.unknown()),
});

/** Parameters that providers support for text models although no price list has them, with the source. */
const providerParametersSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  providers: z.array(z.string()).min(1),
  /** Wire of the endpoints to which the entry applies, if it differs from their provider's wire. */
  wire: z.string().optional(),
  /** Ids of the models with these parameters; all models if absent. */
  models: z.array(z.string()).min(1).optional(),
  /**
   * If true, the parameters apply only to models with reasoning; if false, only to models without reasoning. By default
   * they apply to both.
   */
  reasons: z.boolean().optional(),
  parameters: parameterList,
});
export type ProviderParameters = z.infer<typeof providerParametersSchema>;

/** Models to import, with the catalog id and the providers of each. */
export const selectionSchema = z.strictObject({
  /** Whether endpoints also get a service cost: the listed price without the markup. */
  service_cost: z.boolean().optional(),
  /**
   * Providers that charge a fee per request. Price lists do not have the fee. So each model of these providers needs
   * `usd_per_thousand_requests`.
   */
  per_request_fee: z.array(z.string()).optional(),
  /** Providers whose listed reasoning price applies to every output token of an answer with reasoning. */
  thinking_prices: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      /** Model name that replaces the name in the price list. */
      name: z.string().optional(),
      /** Release date, if the price list has none. It is part of `permaslug`, and must never change. */
      created: z.iso.date().optional(),
      from: z.array(placeSchema).min(1),
      /** Input modalities of all endpoints, if they are fewer than in the price list. */
      input_modalities: z.array(z.string()).optional(),
      /** Categories, as in the catalog. */
      categories: z.array(z.string()).optional(),
      /** Output modalities of a model that the price list describes as a text model. */
      output_modalities: z.array(z.string()).optional(),
      /** Wire of the endpoints, as in the catalog. */
      wire: z.string().optional(),
      quirks: z.record(z.string(), z.unknown()).optional(),
      /** Parameters that all endpoints support although the price list lacks them. */
      with_parameters: parameterList.optional(),
      /** Parameters of the price list that the endpoints do not support. */
      without_parameters: parameterList.optional(),
      /** Price of a one-hour cache write as a multiple of the input price, if the price list lacks it. */
      cache_write_1h_multiple: z.int().positive().optional(),
      /** Fee per thousand requests in USD, as decimal text. */
      usd_per_thousand_requests: decimal.optional(),
    }),
  ),
  /**
   * Facts about models, with sources. If several facts apply to an endpoint, their `lacks` lists are merged, and of any
   * other quirk the last value counts.
   */
  facts: z.array(factSchema).optional(),
  provider_parameters: z.array(providerParametersSchema).optional(),
  /** Ids of models that are also offered free, and their common terms. */
  free: z.strictObject({ terms: z.record(z.string(), z.unknown()), models: z.array(z.string()).min(1) }).optional(),
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;
export type SelectedModel = Selection['models'][number];
