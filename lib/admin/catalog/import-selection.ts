/** A selection says which models of price lists become models of the catalog, and adds what the lists do not know. */

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

/** One place where a model can be reached: a provider, and the name that it has for the model. */
const placeSchema = z.strictObject({
  ...listPlaceSchema.shape,
  /** Where the list has the facts of a model that it does not have of this provider. */
  like: listPlaceSchema.optional(),
  /** Prices in USD per million tokens, where they are not those of the list. */
  usd: costSchema.strict().optional(),
  /** Where these prices are said. */
  usd_source: z.url().optional(),
  /** As in the catalog: the provider has one price for prompts of every length. */
  flat_price: z.literal(true).optional(),
  limit: z.strictObject({ context: z.int().positive(), output: z.int().positive() }).optional(),
  quantization: z.string().optional(),
  /** Its wire, where it is neither its provider's nor the model's. */
  wire: z.string().optional(),
  /** Of this endpoint, besides those of the model; on a wire of its own, in their place. */
  quirks: z.record(z.string(), z.unknown()).optional(),
  /** Parameters that this endpoint takes, although the list does not say so. */
  with_parameters: parameterList.optional(),
  /** Parameters that only this endpoint refuses. */
  without_parameters: parameterList.optional(),
  /** What this endpoint accepts, where it is less than the list says. */
  input_modalities: z.array(z.string()).optional(),
});
export type SelectedPlace = z.infer<typeof placeSchema>;

/** A fact about models that a price list does not know: quirks of their endpoints, and the source that says so. */
const factSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  models: z.array(z.string()).min(1),
  /** Providers whose endpoints it holds for; all where absent. */
  providers: z.array(z.string()).min(1).optional(),
  quirks: z.record(z.string(), z.unknown()),
});

/** Parameters of models that write text which providers take, although no price list says so, and the source that does. */
const providerParametersSchema = z.strictObject({
  about: z.string().min(1),
  source: z.url(),
  providers: z.array(z.string()).min(1),
  /** The wire of the endpoints, if it is not their provider's own. */
  wire: z.string().optional(),
  /** Models that it holds for; all if absent. */
  models: z.array(z.string()).min(1).optional(),
  /** It holds only for models that reason, or only for those that do not. */
  reasons: z.boolean().optional(),
  parameters: parameterList,
});
export type ProviderParameters = z.infer<typeof providerParametersSchema>;

/** A selection lists the models to import, the id of each, and the places where it can be reached. */
export const selectionSchema = z.strictObject({
  /** Whether endpoints say what they cost the service as well: the list's price without the markup. */
  service_cost: z.boolean().optional(),
  /** Providers that charge per request, which the source does not know: their models need a fee. */
  per_request_fee: z.array(z.string()).optional(),
  /** Providers whose listed price of reasoning is that of each token of an answer with reasoning. */
  thinking_prices: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      /** Where the list has another name for it. */
      name: z.string().optional(),
      /** Day of its release, where the list has none. It is a part of `permaslug`, and must never change. */
      created: z.iso.date().optional(),
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
      /** Parameters that all endpoints take, although the list does not say so. */
      with_parameters: parameterList.optional(),
      /** Parameters that are refused, although the source lists them. */
      without_parameters: parameterList.optional(),
      /** Price of writing a one-hour cache as a multiple of the input price, where the source lacks it. */
      cache_write_1h_multiple: z.int().positive().optional(),
      /** Fee of a thousand requests in USD, as decimal text. */
      usd_per_thousand_requests: decimal.optional(),
    }),
  ),
  /** Facts about models, each with its source. A list adds to the list of an earlier fact; any other quirk replaces it. */
  facts: z.array(factSchema).optional(),
  provider_parameters: z.array(providerParametersSchema).optional(),
  /** Models of the selection that are offered free as well, with the terms of all of them. */
  free: z.strictObject({ terms: z.record(z.string(), z.unknown()), models: z.array(z.string()).min(1) }).optional(),
  aliases: z.array(z.strictObject({ alias: z.string(), name: z.string(), target: z.string() })).default([]),
});
export type Selection = z.infer<typeof selectionSchema>;
export type SelectedModel = Selection['models'][number];
