/**
 * Schema of the catalog's files: `providers.json` and `models/*.json` (docs/catalog.md). Unknown fields are errors, so
 * that a typo does not silently become a default.
 */

import * as z from 'zod';
import type { Money } from '../money/money.ts';
import { authSchemes } from './auth-schemes.ts';
import { imageOptionsSchema } from './image-options.ts';
import { modalities } from './modality.ts';
import { modelCategories } from './model-categories.ts';
import { modelParameters } from './model-parameters.ts';
import { price } from './price.ts';
import { anyQuirks } from './quirk-schemas.ts';
import { otherPriceNames, partPriceNames, type ModelPriceName } from './unit-lists.ts';
import { inputModalities, wires } from './wires.ts';

/** Returns an optional price field for each name (billing-units.ts). */
function optionalPrices<Name extends string>(names: readonly Name[]): Record<Name, z.ZodOptional<typeof price>> {
  return Object.fromEntries(names.map((name) => [name, price.optional()])) as ReturnType<typeof optionalPrices<Name>>;
}

const priceTier = z.strictObject({
  min_prompt_tokens: z.int().positive(),
  prompt: price.optional(),
  completion: price.optional(),
  ...optionalPrices(partPriceNames),
});

/** A time in UTC, such as 2027-01-01T00:00:00Z. */
const moment = z.iso.datetime({ error: 'must be a time in UTC, such as "2027-01-01T00:00:00Z"' });
/** Prices are valid from `valid_from` until the moment before `valid_until`. */
const validity = { valid_from: moment.optional(), valid_until: moment.optional() };

const pricePeriod = z.strictObject({
  ...validity,
  prompt: price.optional(),
  completion: price.optional(),
  ...optionalPrices(partPriceNames),
  ...optionalPrices(otherPriceNames),
  overrides: z.array(priceTier).min(1).optional(),
});

const pricingSchema = z.strictObject({
  ...validity,
  prompt: price,
  completion: price,
  ...optionalPrices(partPriceNames),
  ...optionalPrices(otherPriceNames),
  overrides: z.array(priceTier).min(1).optional(),
  /** Prices in certain periods, instead of the prices above. */
  periods: z.array(pricePeriod).min(1).optional(),
});
/** Prices for all times, as in the files (price-periods.ts). */
export type PricingData = z.infer<typeof pricingSchema>;
/** Prices for one request, including the price of a second of video, which depends on the model's options. */
export type Pricing = Omit<PricingData, 'valid_from' | 'valid_until' | 'periods'> & {
  [Name in ModelPriceName]?: Money | undefined;
};
export type PriceTier = z.infer<typeof priceTier>;

export const dataPolicySchema = z.strictObject({
  /** Whether prompts may be stored after the request has ended. */
  logs_prompts: z.boolean(),
  trains_on_prompts: z.boolean(),
  retention_days: z.int().nonnegative().optional(),
});
export type DataPolicy = z.infer<typeof dataPolicySchema>;

export const slug = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be a short lower-case name');
export const httpUrl = z.url({ protocol: /^https?$/ });
/** Constant headers, for example one that controls data retention at the provider. */
const providerHeaders = z.record(
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the lower-case name of a header')
    .regex(
      /^(?!(authorization|host|connection|te|upgrade|expect|content-.*|transfer-.*)$)/,
      'must not be a header that the gateway sets itself',
    ),
  z.string().regex(/^[\x20-\x7e]{1,256}$/, 'must be plain text'),
);
export const variableName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable');

const providerSchema = z.strictObject({
  id: slug,
  name: z.string().min(1),
  wire: z.enum(wires),
  base_url: httpUrl.optional(),
  /** Variable with the base URL. If it is unset, the catalog omits the provider and its models. */
  base_url_variable: variableName.optional(),
  /**
   * Name of the credential: a variable on a laptop, an entry of the provider-keys secret on AWS. Absent: none is
   * needed.
   */
  credential: variableName.optional(),
  /** Way to send the credential, if it differs from the wire's default. */
  auth: z.enum(authSchemes).optional(),
  /** URL that issues tokens for the credential, for schemes that need it. */
  token_url: httpUrl.optional(),
  /**
   * Variable, or entry of the secret, with PEM certificates. They are trusted in addition to the public certificate
   * authorities.
   */
  ca_variable: variableName.optional(),
  /** Headers that the gateway sends with every request to the provider. */
  headers: providerHeaders.optional(),
  icon_url: httpUrl.optional(),
  data_policy: dataPolicySchema,
  /**
   * Whether the provider charges more for longer prompts, which price lists often omit. `catalog check` then warns
   * about endpoints without `overrides`.
   */
  tiered_prices: z.boolean().optional(),
  /** Whether the provider charges a fee for each request. All its endpoints then need the price `request`. */
  per_request_fee: z.boolean().optional(),
  timeouts: z
    .strictObject({
      connect_ms: z.int().positive().max(60_000).optional(),
      first_byte_ms: z.int().positive().max(840_000).optional(),
      idle_ms: z.int().positive().max(840_000).optional(),
    })
    .optional(),
  /** Differences from the wire's standard form (checkQuirks). */
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

/** Name of a request parameter. Unknown names are errors, because a misspelled parameter would silently not be sent. */
const parameter = z.string().refine((name) => modelParameters.has(name), {
  error: ({ input }) => `must be one of ${[...modelParameters].join(', ')}, not "${String(input)}"`,
});

const nameList = z.array(slug).min(1).max(64);

/** Default routing of a model, with the fields of a request's `provider`. */
export const routingSchema = z.strictObject({
  order: nameList.optional().meta({
    description: 'Ids of providers whose endpoints are tried first, in this order.',
  }),
  only: nameList.optional().meta({ description: 'Ids of the only providers whose endpoints may answer.' }),
  ignore: nameList.optional().meta({ description: 'Ids of providers whose endpoints may not answer.' }),
  allow_fallbacks: z.boolean().optional().meta({
    description:
      'With false only endpoints of the providers in `order` are tried; without `order`, only the first endpoint that can take the request.',
  }),
  sort: z
    .enum(['price', 'throughput', 'latency'])
    .optional()
    .meta({ description: 'The value that endpoints are sorted by: `price`, `latency` or `throughput`.' }),
});

const endpointSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._/:-]{0,127}$/, 'must be a lower-case name'),
  provider: slug,
  /** Wire of this endpoint, if it differs from the provider's. */
  wire: z.enum(wires).optional(),
  /** The provider's name for the model. `{NAME}` stands for the value of the operator's variable NAME. */
  upstream_model: z.string().min(1),
  context_length: z.int().positive().optional(),
  max_output_tokens: z.int().positive().optional(),
  quantization: z.enum(quantizationNames).optional(),
  /** Relative share of requests among endpoints of the same price; 1 if absent. */
  weight: z.number().positive().max(1_000).optional(),
  /** Kinds of input that this endpoint accepts, if it does not accept all kinds that the model lists. */
  input_modalities: z.array(z.enum(inputModalities)).min(1).optional(),
  supported_parameters: z.array(parameter).optional(),
  /** Prices for clients. An endpoint without prices is listed, and gets no requests. */
  pricing: pricingSchema.optional(),
  /** Whether the price is the same for prompts of every length. `catalog check` then expects no `overrides`. */
  flat_price: z.boolean().optional(),
  /**
   * Prices that the operator pays to the provider. Clients never see them. Free models need them, because their clients
   * pay nothing.
   */
  service_cost: pricingSchema.optional(),
  /** Quirks of this endpoint, which usually override the provider's quirks (quirks.ts). */
  quirks: anyQuirks.optional(),
  /** Policy of this endpoint, if it differs from the provider's, for example at a URL without retention. */
  data_policy: dataPolicySchema.optional(),
  /** Options of an endpoint that generates images. */
  image: imageOptionsSchema.optional(),
});
export type EndpointData = z.infer<typeof endpointSchema>;

const durations = z.array(z.int().positive()).min(1);

const videoOptions = z.strictObject({
  durations,
  resolutions: z.array(z.string()).min(1),
  /** Durations by resolution, for resolutions that support only some of the `durations`. */
  durations_at: z.record(z.string(), durations).optional(),
  aspect_ratios: z.array(z.string().regex(/^\d+:\d+$/)).min(1),
  frame_images: z.array(z.enum(['first_frame', 'last_frame'])).optional(),
  price_per_second: z.record(z.string(), price),
  /** Prices in certain periods, instead of `price_per_second`. */
  periods: z
    .array(z.strictObject({ ...validity, price_per_second: z.record(z.string(), price) }))
    .min(1)
    .optional(),
});

type VideoOptionsData = z.infer<typeof videoOptions>;

/** Reports resolutions without a price, and resolutions and durations that the model does not list. */
function checkVideo(video: VideoOptionsData, report: (path: string[], message: string) => void): void {
  const { durations, resolutions, durations_at = {}, periods = [] } = video;
  const priced = [
    { path: ['price_per_second'], prices: video.price_per_second },
    ...periods.map(({ price_per_second: prices }, index) => {
      return { path: ['periods', `${index}`, 'price_per_second'], prices };
    }),
  ];
  for (const { path, prices } of priced) {
    const unpriced = resolutions.find((resolution) => !Object.hasOwn(prices, resolution));
    if (unpriced !== undefined) report(path, `must have a price of "${unpriced}"`);
  }
  const named = [
    { path: ['durations_at'], of: durations_at },
    ...priced.map(({ path, prices }) => ({ path, of: prices })),
  ];
  for (const { path, of } of named) {
    const unlisted = Object.keys(of).find((resolution) => !resolutions.includes(resolution));
    if (unlisted !== undefined) report([...path, unlisted], 'must be one of the resolutions');
  }
  for (const [resolution, some] of Object.entries(durations_at)) {
    const unlisted = some.find((duration) => !durations.includes(duration));
    if (unlisted !== undefined) report(['durations_at', resolution], `${unlisted} must be one of the durations`);
  }
}

const requests = z.int().positive().max(1_000_000);

/**
 * Terms of a free model: limits on the number and size of requests. The size limit keeps each hold within one of the
 * parts of the daily budget.
 */
const serviceFreeSchema = z.strictObject({
  /** Requests by one account in a UTC day: daily_base for accounts without funds, daily_funded for others. */
  daily_base: requests.or(z.literal(0)),
  daily_funded: requests,
  /** Requests from one IPv4 address or IPv6 network (/64) in a UTC day, by accounts without funds. */
  base_ip_daily: requests,
  /** Requests by one account in a minute. */
  rpm: requests,
  funded_balance_threshold_rub: price,
  funded_topup_threshold_rub: price,
  /** Maximum amount that the operator pays for the model in a UTC day. */
  daily_budget_rub: price,
  input_token_limit: z.int().positive(),
  output_token_limit: z.int().positive(),
});
export type ServiceFree = z.infer<typeof serviceFreeSchema>;

const optionalParameter = z.number().nullable().optional();

const modelSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*(:free)?$/, 'must look like author/model'),
    /** Permanent name of this version of the model, even if a newer version takes over the id. */
    permaslug: z.string().min(1),
    name: z.string().min(1),
    description: z.string().optional(),
    created: z.iso.date(),
    knowledge_cutoff: z.string().optional(),
    context_length: z.int().positive().optional(),
    input_modalities: z.array(z.enum(inputModalities)).min(1),
    output_modalities: z.array(z.enum(modalities)).min(1),
    supported_parameters: z.array(parameter).default([]),
    /** Categories, as the model's author states them. */
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
    /** Name of the icon in collections of icons. Default: the author's part of the id. */
    icon_id: slug.optional(),
    /** Icon that the operator prefers. */
    custom_icon_url: httpUrl.optional(),
    hugging_face_id: z.string().optional(),
    video: videoOptions.optional(),
    /** Whether the author allows others to train models on this model's output; absent if unknown. */
    distillable_text: z.boolean().optional(),
    routing: routingSchema.optional(),
    /** Terms of a free model. Required if the id ends in ":free", and forbidden otherwise. */
    service_free: serviceFreeSchema.optional(),
    endpoints: z.array(endpointSchema).min(1),
  })
  .superRefine((model, context) => {
    if (model.output_modalities.includes('video') && !model.video) {
      context.addIssue({ code: 'custom', path: ['video'], message: 'a model that makes video must list its options' });
    }
    const undescribed = model.endpoints.findIndex(({ image }) => !image);
    if (model.output_modalities.includes('image') && !model.output_modalities.includes('text') && undescribed !== -1) {
      const message = 'an endpoint that draws images must list its options';
      context.addIssue({ code: 'custom', path: ['endpoints', undescribed, 'image'], message });
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
