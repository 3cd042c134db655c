import * as z from 'zod';
import { modalities } from '../../catalog/modality.ts';
import { routingSchema } from '../../catalog/schema.ts';
import { constants, countShape, dataShape, nothing, rubText, time } from '../../http/shapes.ts';

const tokenPrices = {
  prompt: rubText.optional(),
  completion: rubText.optional(),
  input_cache_read: rubText.optional(),
  input_cache_write: rubText.optional(),
  input_cache_write_1h: rubText.optional(),
  internal_reasoning: rubText.optional(),
};

const pricingShape = z
  .strictObject({
    ...tokenPrices,
    image: rubText.optional().meta({ description: 'The price of one image in the prompt.' }),
    request: rubText.optional().meta({ description: 'The price of one request, beside its tokens.' }),
    web_search: rubText.optional().meta({ description: 'The price of one search that the model makes.' }),
    overrides: z.array(z.strictObject({ min_prompt_tokens: z.int().positive(), ...tokenPrices })).optional(),
  })
  .meta({ id: 'Pricing', description: 'RUB per single token or unit, as decimal strings.' });
export type PricingBody = z.output<typeof pricingShape>;

const optionalNumber = z.number().nullable().optional();

const serviceFreeShape = z
  .strictObject({
    daily_base: z
      .int()
      .meta({ description: 'Requests in a UTC day of an account that is not funded, over all free models.' }),
    daily_funded: z.int().meta({ description: 'The same of one that is funded.' }),
    base_ip_daily: z
      .int()
      .meta({ description: 'Requests in a UTC day from one address (IPv6: /64), of accounts that are not funded.' }),
    rpm: z.int().meta({ description: 'Requests of an account in a minute of the clock.' }),
    funded_balance_threshold_rub: rubText,
    funded_topup_threshold_rub: rubText,
    daily_budget_rub: rubText.meta({ description: 'What the service spends on the model in a UTC day.' }),
    input_token_limit: z.int().meta({ description: 'A longer prompt is refused.' }),
    output_token_limit: z.int().meta({ description: 'The most that `max_tokens` comes to.' }),
    temporarily_capacity_limited: z.boolean().meta({
      description:
        'The budget of today has no room for a request of full size; some seconds old, false where not known.',
    }),
  })
  .meta({ id: 'ServiceFree', description: 'Terms of a free model.' });
export type ServiceFreeBody = z.output<typeof serviceFreeShape>;

const modelFields = {
  id: z.string(),
  canonical_slug: z.string(),
  name: z.string(),
  created: z.int().meta({ description: 'The time of publication, in seconds since 1970.' }),
  description: z.string().optional(),
  alias_target: z.strictObject({ slug: z.string(), name: z.string() }).optional(),
  icon_url: z.string().optional(),
  icon_id: z.string(),
  custom_icon_url: z.string().optional(),
  hugging_face_id: z.string().optional(),
  knowledge_cutoff: z.string().optional(),
  available: z.boolean().nullable().meta({
    description:
      'Whether it can be called here: the operator has set what one of its providers needs. A minute or two old; null where that is not known.',
  }),
  context_length: z.int().nullable(),
  architecture: z.strictObject({
    input_modalities: z.array(z.string()),
    output_modalities: z.array(z.enum(modalities)),
    modality: z.string(),
    tokenizer: z.string(),
    instruct_type: nothing,
  }),
  pricing: pricingShape,
  pricing_skus: z.record(z.string(), rubText).optional().meta({
    description: 'The price of a second of video in roubles, by resolution; only for models that make video.',
  }),
  currency: z.literal('RUB'),
  service_free: serviceFreeShape.optional(),
  top_provider: z.strictObject({
    context_length: z.int().nullable(),
    max_completion_tokens: z.int().nullable(),
    is_moderated: z.boolean(),
  }),
  per_request_limits: nothing,
  supported_parameters: z.array(z.string()),
  default_parameters: z
    .strictObject({
      temperature: optionalNumber,
      top_p: optionalNumber,
      top_k: optionalNumber,
      frequency_penalty: optionalNumber,
      presence_penalty: optionalNumber,
      repetition_penalty: optionalNumber,
    })
    .nullable(),
  supported_voices: nothing,
  links: z.strictObject({ details: z.string() }),
  type: z.literal('model'),
  display_name: z.string(),
};

const modelShape = z.strictObject(modelFields).meta({ id: 'Model' });
export type ModelBody = z.output<typeof modelShape>;

const percent = z.number().min(0).max(100).nullable();

const percentiles = z.strictObject({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() }).nullable();

const endpointShape = z
  .strictObject({
    name: z.string(),
    endpoint_id: z.string(),
    model_id: z.string(),
    model_name: z.string(),
    provider_name: z.string(),
    available: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether it can be called here; null where that is not known.' }),
    tag: z.string(),
    context_length: z.int(),
    max_completion_tokens: z.int().nullable(),
    max_prompt_tokens: nothing,
    quantization: z.string().nullable(),
    pricing: pricingShape,
    supported_parameters: z.array(z.string()),
    supports_implicit_caching: z.boolean(),
    supports_tool_choice: z.strictObject({
      auto: z.boolean(),
      none: z.boolean(),
      required: z.boolean(),
      function: z.boolean(),
    }),
    supports_voice_cloning: z.boolean(),
    data_policy: z.strictObject({
      logs_prompts: z.boolean(),
      trains_on_prompts: z.boolean(),
      retention_days: z.int().nullable(),
    }),
    status: z.literal([0, -1]).optional().meta({
      description:
        'The value -1 says that the endpoint is failing now, and is tried after the others. It is absent where that is not known.',
    }),
    uptime_last_5m: percent,
    uptime_last_30m: percent,
    uptime_last_1d: percent,
    latency_last_30m: percentiles.meta({ description: 'Milliseconds to the first event, within 10 %.' }),
    throughput_last_30m: percentiles.meta({ description: 'Tokens per second of complete answers, within 10 %.' }),
  })
  .meta({ id: 'Endpoint', description: 'One way to reach a model. What nobody has measured is null.' });
export type EndpointBody = z.output<typeof endpointShape>;

export const modelAnswer = z.strictObject({
  data: z
    .strictObject({ ...modelFields, endpoints: z.array(endpointShape).optional() })
    .meta({ id: 'ModelWithEndpoints' }),
  routing: z
    .strictObject({
      default: routingSchema.meta({ description: 'Empty: chosen automatically, the cheapest that is healthy first.' }),
    })
    .optional(),
});
export type ModelAnswer = z.output<typeof modelAnswer>;

const videoModelShape = z
  .strictObject({
    ...modelFields,
    pricing_skus: z.record(z.string(), rubText),
    allowed_passthrough_parameters: z.array(z.string()),
    supported_durations: z.array(z.int()),
    supported_resolutions: z.array(z.string()),
    supported_aspect_ratios: z.array(z.string()),
    supported_sizes: nothing,
    supported_frame_images: z.array(z.string()).nullable(),
    generate_audio: nothing,
    seed: nothing,
    creativity: nothing,
    upscale_factor: nothing,
  })
  .meta({ id: 'VideoModel' });
export type VideoModelBody = z.output<typeof videoModelShape>;

export const videoModelListAnswer = dataShape(z.array(videoModelShape));
export type VideoModelListAnswer = z.output<typeof videoModelListAnswer>;

export const modelListAnswer = z
  .strictObject({
    data: z.array(modelShape),
    links: z.strictObject({ next: z.string().nullable() }),
    total_count: countShape,
  })
  .meta({ id: 'ModelList' });
export type ModelListAnswer = z.output<typeof modelListAnswer>;

const support = z
  .strictObject({ supported: z.boolean().nullable() })
  .meta({ id: 'CapabilitySupport', description: '`supported` is null where the catalog does not know.' });

const capabilitiesShape = z
  .strictObject({
    batch: support,
    citations: support,
    code_execution: support,
    context_management: z.strictObject({
      supported: z.boolean().nullable(),
      clear_thinking_20251015: support.nullable(),
      clear_tool_uses_20250919: support.nullable(),
      compact_20260112: support.nullable(),
    }),
    effort: z.strictObject({
      supported: z.boolean().nullable(),
      low: support,
      medium: support,
      high: support,
      xhigh: support.nullable(),
      max: support,
    }),
    image_input: support,
    pdf_input: support,
    server_tools: z.strictObject({
      supported: z.boolean().nullable(),
      code_execution: support,
      web_search: support,
    }),
    structured_outputs: support,
    thinking: z.strictObject({
      supported: z.boolean().nullable(),
      types: z.strictObject({ adaptive: support, between_tools: support, disabled: support, enabled: support }),
    }),
  })
  .meta({ id: 'ModelCapabilities' });
export type CapabilitiesBody = z.output<typeof capabilitiesShape>;

export const messagesModelAnswer = z
  .strictObject({
    id: z.string(),
    type: z.literal('model'),
    display_name: z.string(),
    created_at: time,
    max_input_tokens: z.int().nullable(),
    max_tokens: z.int().nullable(),
    capabilities: capabilitiesShape,
    ...constants({ lifecycle: 'active', deprecated_at: null, retires_at: null, line: null }),
  })
  .meta({ id: 'MessagesModel', description: 'A model as the Messages API shows it.' });
export type MessagesModelAnswer = z.output<typeof messagesModelAnswer>;

export const messagesModelListAnswer = z
  .strictObject({
    data: z.array(messagesModelAnswer),
    has_more: z.boolean().meta({ description: 'There are more models in the direction of the page.' }),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'MessagesModelList', description: 'A list of models as the Messages API shows it.' });
export type MessagesModelListAnswer = z.output<typeof messagesModelListAnswer>;
