/**
 * The catalog's files: `providers.json` and `models/*.json`. docs/catalog.md explains every field to the person who
 * writes them; this schema is what the loader enforces. Unknown fields are errors: a typo must not be a silent default.
 */

import * as z from 'zod';
import { Money } from '../money/money.ts';
import { authSchemes } from './auth-schemes.ts';
import { modalities } from './modality.ts';
import { modelCategories } from './model-categories.ts';
import { modelParameters } from './model-parameters.ts';
import { anyQuirks } from './quirk-schemas.ts';
import { otherPriceNames, partPriceNames, type ModelPriceName } from './unit-lists.ts';
import { inputModalities, wires } from './wires.ts';

export const price = z
  .string({ error: 'must be a text of roubles, such as "0.0003"' })
  .regex(/^\d+(\.\d{1,12})?$/, 'must be a plain decimal string of roubles with at most 12 digits after the point')
  .transform((text) => Money.parse(text));

/** A field for each of the units' prices (billing-units.ts). */
function optionalPrices<Name extends string>(names: readonly Name[]): Record<Name, z.ZodOptional<typeof price>> {
  return Object.fromEntries(names.map((name) => [name, price.optional()])) as ReturnType<typeof optionalPrices<Name>>;
}

const priceTier = z.strictObject({
  min_prompt_tokens: z.int().positive(),
  prompt: price.optional(),
  completion: price.optional(),
  ...optionalPrices(partPriceNames),
});

const pricingSchema = z.strictObject({
  prompt: price,
  completion: price,
  ...optionalPrices(partPriceNames),
  ...optionalPrices(otherPriceNames),
  overrides: z.array(priceTier).min(1).optional(),
});
/** With prices that are made of a model's options, as they are frozen for one request. */
export type Pricing = z.infer<typeof pricingSchema> & { [Name in ModelPriceName]?: Money | undefined };
export type PriceTier = z.infer<typeof priceTier>;

export const dataPolicySchema = z.strictObject({
  /** Prompts may be kept for longer than the request takes. */
  logs_prompts: z.boolean(),
  trains_on_prompts: z.boolean(),
  retention_days: z.int().nonnegative().optional(),
});
export type DataPolicy = z.infer<typeof dataPolicySchema>;

export const slug = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be a short lower-case name');
export const httpUrl = z.url({ protocol: /^https?$/ });
/** Values that never change, and are not the credential: a header that decides what a provider keeps, for example. */
const providerHeaders = z.record(
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the lower-case name of a header')
    .regex(
      /^(?!(authorization|host|connection|te|upgrade|expect|content-.*|transfer-.*)$)/,
      'is the gateway’s own to set',
    ),
  z.string().regex(/^[\x20-\x7e]{1,256}$/, 'must be plain text'),
);
export const variableName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable');

const providerSchema = z.strictObject({
  id: slug,
  name: z.string().min(1),
  wire: z.enum(wires),
  base_url: httpUrl.optional(),
  /** Variable that holds the address; while it is unset, the provider and its models do not exist. */
  base_url_variable: variableName.optional(),
  /** Variable on a laptop, and name in the provider-keys secret on AWS; absent: the upstream takes no credential. */
  credential: variableName.optional(),
  /** How the credential is sent, where it is not as usual on the wire. */
  auth: z.enum(authSchemes).optional(),
  /** Where its tokens are exchanged for the credential, on schemes that do that. */
  token_url: httpUrl.optional(),
  /** Variable, or secret, with the PEM of certificates that vouch for it, besides those that everybody trusts. */
  ca_variable: variableName.optional(),
  /** Sent with every request. */
  headers: providerHeaders.optional(),
  icon_url: httpUrl.optional(),
  data_policy: dataPolicySchema,
  /** Charges more for longer prompts, which price lists leave out: `catalog check` warns about its endpoints without `overrides`. */
  tiered_prices: z.boolean().optional(),
  /** Charges a fee for each request, so that every price needs `request`. */
  per_request_fee: z.boolean().optional(),
  timeouts: z
    .strictObject({
      connect_ms: z.int().positive().max(60_000).optional(),
      first_byte_ms: z.int().positive().max(840_000).optional(),
      idle_ms: z.int().positive().max(840_000).optional(),
    })
    .optional(),
  /** How it departs from its wire's plain form; quirks.ts checks them against those that the wire has. */
  quirks: anyQuirks.optional(),
});
export type ProviderData = z.infer<typeof providerSchema>;

const quantizationNames = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
] as const;

/** One that is misspelt would silently not be sent. */
const parameter = z.string().refine((name) => modelParameters.has(name), {
  error: ({ input }) =>
    `is none that a model can have: "${String(input)}"; known are ${[...modelParameters].join(', ')}`,
});

const nameList = z.array(slug).min(1).max(64);

/** How a model is routed where a request says nothing else; fields as in a request's `provider`. */
export const routingSchema = z.strictObject({
  order: nameList.optional().meta({
    description:
      'Endpoints to try first, in this order. Each is named by the id or name of its provider, by its tag such as `together/fp8`, or by its own id.',
  }),
  only: nameList.optional().meta({ description: 'Only these endpoints may answer; they are named as in `order`.' }),
  ignore: nameList.optional().meta({ description: 'These endpoints may not answer; they are named as in `order`.' }),
  allow_fallbacks: z.boolean().optional().meta({
    description:
      'With false only the endpoints in `order` are tried; without `order`, only the first one that can take the request.',
  }),
  sort: z
    .enum(['price', 'throughput', 'latency'])
    .optional()
    .meta({ description: 'The value that endpoints are sorted by: `price`, `latency` or `throughput`.' }),
});

const endpointSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._/:-]{0,127}$/, 'must be a lower-case name'),
  provider: slug,
  /** The wire, where it is not the provider's. */
  wire: z.enum(wires).optional(),
  /** The provider's name for it; `{NAME}` stands for the value of the operator's variable NAME. */
  upstream_model: z.string().min(1),
  context_length: z.int().positive().optional(),
  max_output_tokens: z.int().positive().optional(),
  quantization: z.enum(quantizationNames).optional(),
  /** Its share of requests among endpoints of the same price, beside the weights of the others; 1 where absent. */
  weight: z.number().positive().max(1_000).optional(),
  /** What it takes, where that is less than what its model takes elsewhere. */
  input_modalities: z.array(z.enum(inputModalities)).min(1).optional(),
  supported_parameters: z.array(parameter).optional(),
  /** An endpoint without a price is listed and never routed to. */
  pricing: pricingSchema.optional(),
  /** Its provider has one price for prompts of every length: `catalog check` does not ask for `overrides`. */
  flat_price: z.boolean().optional(),
  /** What the provider charges the service. Free models need it, because their clients pay nothing; clients never see it. */
  service_cost: pricingSchema.optional(),
  /** They override those of its provider. */
  quirks: anyQuirks.optional(),
  /** Where it is not the provider's, for example at an address without retention. */
  data_policy: dataPolicySchema.optional(),
});
export type EndpointData = z.infer<typeof endpointSchema>;

const durations = z.array(z.int().positive()).min(1);

const videoOptions = z.strictObject({
  durations,
  resolutions: z.array(z.string()).min(1),
  /** Of resolutions that are made at fewer durations. */
  durations_at: z.record(z.string(), durations).optional(),
  aspect_ratios: z.array(z.string().regex(/^\d+:\d+$/)).min(1),
  frame_images: z.array(z.enum(['first_frame', 'last_frame'])).optional(),
  price_per_second: z.record(z.string(), price),
});

type VideoOptionsData = z.infer<typeof videoOptions>;

/** What is listed has a price, and what is said of a resolution or a duration is said of one that is listed. */
function checkVideo(video: VideoOptionsData, report: (path: string[], message: string) => void): void {
  const { durations, resolutions, durations_at = {}, price_per_second } = video;
  const unpriced = resolutions.find((resolution) => !Object.hasOwn(price_per_second, resolution));
  if (unpriced !== undefined) report(['price_per_second'], `has no price of "${unpriced}"`);
  for (const [field, named] of Object.entries({ durations_at, price_per_second })) {
    const unlisted = Object.keys(named).find((resolution) => !resolutions.includes(resolution));
    if (unlisted !== undefined) report([field, unlisted], 'is not among the resolutions');
  }
  for (const [resolution, some] of Object.entries(durations_at)) {
    const unlisted = some.find((duration) => !durations.includes(duration));
    if (unlisted !== undefined) report(['durations_at', resolution], `${unlisted} is not among the durations`);
  }
}

const requests = z.int().positive().max(1_000_000);

/** On which terms a model is free. What a request may be is bounded, so that a day's budget can be kept. */
const serviceFreeSchema = z.strictObject({
  /** Requests in a UTC day of an account that is not funded, and of one that is. */
  daily_base: requests.or(z.literal(0)),
  daily_funded: requests,
  /** Requests in a UTC day from one address, of accounts that are not funded. */
  base_ip_daily: requests,
  /** Requests of an account in a minute. */
  rpm: requests,
  funded_balance_threshold_rub: price,
  funded_topup_threshold_rub: price,
  /** What the service itself spends on the model in a UTC day. */
  daily_budget_rub: price,
  input_token_limit: z.int().positive(),
  output_token_limit: z.int().positive(),
});
export type ServiceFree = z.infer<typeof serviceFreeSchema>;

const optionalParameter = z.number().nullable().optional();

const modelSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*(:free)?$/, 'must look like author/model'),
    /** Never changes once published, even if the id is given to a newer model. */
    permaslug: z.string().min(1),
    name: z.string().min(1),
    description: z.string().optional(),
    created: z.iso.date(),
    knowledge_cutoff: z.string().optional(),
    context_length: z.int().positive().optional(),
    input_modalities: z.array(z.enum(inputModalities)).min(1),
    output_modalities: z.array(z.enum(modalities)).min(1),
    supported_parameters: z.array(parameter).default([]),
    /** What its author made it for. */
    categories: z.array(z.enum(modelCategories)).optional(),
    default_parameters: z
      .strictObject({
        temperature: optionalParameter,
        top_p: optionalParameter,
        top_k: z.int().nullable().optional(),
        frequency_penalty: optionalParameter,
        presence_penalty: optionalParameter,
        repetition_penalty: optionalParameter,
      })
      .optional(),
    icon_url: httpUrl.optional(),
    /** Its name in collections of icons; the author's part of the id where absent. */
    icon_id: slug.optional(),
    /** A picture that the operator prefers to show. */
    custom_icon_url: httpUrl.optional(),
    hugging_face_id: z.string().optional(),
    video: videoOptions.optional(),
    /** The author allows other models to be trained on what it writes; absent: not known. */
    distillable_text: z.boolean().optional(),
    routing: routingSchema.optional(),
    /** Of models whose id ends in ":free", and of no other. */
    service_free: serviceFreeSchema.optional(),
    endpoints: z.array(endpointSchema).min(1),
  })
  .superRefine((model, context) => {
    if (model.output_modalities.includes('video') && !model.video) {
      context.addIssue({ code: 'custom', path: ['video'], message: 'a model that makes video must list its options' });
    }
    if (model.video)
      checkVideo(model.video, (path, message) => {
        context.addIssue({ code: 'custom', path: ['video', ...path], message });
      });
  });
export type ModelData = z.infer<typeof modelSchema>;

/** Another name for a model, for example "…-latest". */
const aliasSchema = z.strictObject({
  alias: z.string().regex(/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*$/, 'must look like author/model'),
  name: z.string().min(1),
  target: z.string().min(1),
});
export type AliasData = z.infer<typeof aliasSchema>;

export const providersFileSchema = z.strictObject({ providers: z.array(providerSchema).min(1) });
export const modelsFileSchema = z.strictObject({
  models: z.array(modelSchema),
  aliases: z.array(aliasSchema).default([]),
});
