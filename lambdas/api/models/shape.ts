import * as z from 'zod';
import { modalities } from '../../catalog/modality.ts';
import { routingSchema } from '../../catalog/schema.ts';
import { countShape, dataShape, nothing, rubText, time } from '../../http/shapes.ts';
import { availabilityShape } from '../parts/shape.ts';
import { priceChangesShape, pricingShape } from './prices/shape.ts';

const serviceFreeShape = z
  .strictObject({
    daily_base: z.int().meta({
      description:
        'The most requests in a UTC day, over all free models, of an account that is not funded; see `funded_balance_threshold_rub`.',
    }),
    daily_funded: z
      .int()
      .meta({ description: 'The most requests in a UTC day, over all free models, of a funded account.' }),
    base_ip_daily: z.int().meta({
      description:
        'The most requests in a UTC day, over all free models, from one IP address (with IPv6, from one /64 network), by accounts that are not funded.',
    }),
    rpm: z.int().meta({
      description:
        'The most requests that an account may send to all free models together in one minute; the count starts anew with each full minute.',
    }),
    funded_balance_threshold_rub: rubText.meta({
      description: 'A prepaid account counts as funded with a balance of at least this many roubles.',
    }),
    funded_topup_threshold_rub: rubText.meta({
      description: 'A prepaid account also counts as funded if the sum of its top-ups is at least this many roubles.',
    }),
    daily_budget_rub: rubText.meta({
      description: 'The most that the service spends on the model in a UTC day, in RUB.',
    }),
    input_token_limit: z.int().meta({ description: 'The most tokens that a prompt may have.' }),
    output_token_limit: z.int().meta({ description: 'The most tokens that an answer may have.' }),
    temporarily_capacity_limited: z.boolean().meta({
      description:
        'Whether today’s budget of the model has no room for a request of the largest size. The value may be some seconds old; false if it is not known.',
    }),
  })
  .meta({ id: 'ServiceFree', description: 'The terms on which a free model can be used.' });
export type ServiceFreeBody = z.output<typeof serviceFreeShape>;

const modelFieldShapes = {
  id: z.string().meta({ description: 'The id of the model, which requests send as `model`.' }),
  canonical_slug: z
    .string()
    .meta({ description: 'An id that always means this model, even if its `id` is given to a newer one.' }),
  name: z.string().meta({ description: 'The name of the model for people.' }),
  created: z.int().meta({ description: 'The time at which the model was published, as a Unix time in seconds.' }),
  description: z.string().optional().meta({ description: 'A description of the model by its author.' }),
  alias_target: z
    .strictObject({
      slug: z.string().meta({ description: 'The id of the model that answers.' }),
      name: z.string().meta({ description: 'The name of the model that answers.' }),
    })
    .optional()
    .meta({ description: 'The model that answers, if this one is an alias.' }),
  icon_url: z.string().optional().meta({ description: 'The address of a picture of the model, or of its provider.' }),
  icon_id: z
    .string()
    .meta({ description: 'The name of the icon in icon collections; usually that of the model’s author.' }),
  custom_icon_url: z
    .string()
    .optional()
    .meta({ description: 'The address of a picture that the operator prefers to show.' }),
  hugging_face_id: z.string().optional().meta({ description: 'The id of the model’s weights at Hugging Face.' }),
  knowledge_cutoff: z
    .string()
    .optional()
    .meta({ description: 'The date up to which the training data of the model reaches.' }),
  ...availabilityShape,
  context_length: z.int().nullable().meta({ description: 'The most tokens that prompt and answer may have together.' }),
  architecture: z
    .strictObject({
      input_modalities: z
        .array(z.string())
        .meta({ description: 'The kinds of input that the model reads: text, images, files, audio or video.' }),
      output_modalities: z.array(z.enum(modalities)).meta({
        description:
          'The kinds of output that the model makes: text, images, videos, speech, transcriptions, embeddings, rankings (`rerank`), decisions or audio.',
      }),
      modality: z.string().meta({ description: 'Input and output in one text, such as `text+image->text`.' }),
      tokenizer: z.string().meta({
        description:
          'Always `Other`, because the catalog names no tokenizers. Clients of OpenRouter’s API read this field.',
      }),
      instruct_type: nothing,
    })
    .meta({ description: 'The kinds of input and output of the model.' }),
  pricing: pricingShape,
  price_changes: priceChangesShape,
  pricing_skus: z.record(z.string(), rubText).optional().meta({
    description:
      'The prices of a second of video in roubles, by resolution: `per-video-second-768p` is that of 768p. Only models that make videos have them.',
  }),
  currency: z.literal('RUB'),
  service_free: serviceFreeShape.optional(),
  top_provider: z
    .strictObject({
      context_length: z
        .int()
        .nullable()
        .meta({ description: 'The most tokens that prompt and answer may have together at this endpoint.' }),
      max_completion_tokens: z
        .int()
        .nullable()
        .meta({ description: 'The most tokens that an answer may have at this endpoint.' }),
      is_moderated: z.boolean().meta({
        description:
          'Always false, because the gateway moderates nothing. Clients of OpenRouter’s API read this field.',
      }),
    })
    .meta({ description: 'The limits of the endpoint (the provider’s offer of the model) that is tried first.' }),
  per_request_limits: nothing,
  supported_parameters: z
    .array(z.string())
    .meta({ description: 'The parameters of a request that the model supports.' }),
  default_parameters: z
    .strictObject({
      temperature: z.number().nullable().meta({
        description: 'The `temperature` that is sent if a request has none.',
      }),
      top_p: z.number().nullable().meta({ description: 'The `top_p` that is sent if a request has none.' }),
      top_k: z.number().nullable().meta({ description: 'The `top_k` that is sent if a request has none.' }),
      frequency_penalty: z.number().nullable().meta({
        description:
          'The default `frequency_penalty`: the higher it is, the less the model repeats words that it has used often.',
      }),
      presence_penalty: z.number().nullable().meta({
        description:
          'The default `presence_penalty`: the higher it is, the less the model returns to words that it has used.',
      }),
      repetition_penalty: z.number().nullable().meta({
        description: 'The default `repetition_penalty`: values above 1 make the model repeat itself less.',
      }),
    })
    .meta({
      description:
        'The values that the gateway sends if the request has none. With null the gateway sends nothing, and the provider applies its own default.',
    }),
  supported_voices: nothing,
  links: z
    .strictObject({ details: z.string().meta({ description: 'The path of the model’s endpoints.' }) })
    .meta({ description: 'Addresses of more information about the model.' }),
  object: z.literal('model'),
  owned_by: z.string().meta({ description: 'The author of the model, for clients of OpenAI’s APIs.' }),
  type: z.literal('model'),
  display_name: z.string().meta({ description: 'The name of the model, for clients of the Messages API.' }),
};

const modelShape = z.strictObject(modelFieldShapes).meta({ id: 'Model' });
export type ModelBody = z.output<typeof modelShape>;

const percent = z.number().min(0).max(100).nullable();

const percentiles = z
  .strictObject({
    p50: z.number().meta({ description: 'The median: half of the requests were at least as good as this.' }),
    p75: z.number().meta({ description: 'The 75th percentile: three requests in four were at least as good as this.' }),
    p90: z.number().meta({
      description:
        'The 90th percentile: nine requests in ten were at least as good as this, that is at most as slow, or at least as fast.',
    }),
    p99: z.number().meta({ description: 'The 99th percentile: 99 requests in 100 were at least as good as this.' }),
  })
  .nullable();

const endpointShape = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the endpoint for people.' }),
    endpoint_id: z.string().meta({ description: 'The id of the endpoint, for `provider.order`, `only` and `ignore`.' }),
    model_id: z.string().meta({ description: 'The id of the model that the endpoint runs.' }),
    model_name: z.string().meta({ description: 'The name of the model that the endpoint runs.' }),
    provider_name: z.string().meta({ description: 'The name of the provider that runs the endpoint.' }),
    available: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the endpoint can be called here; null if that is not known.' }),
    tag: z.string().meta({ description: 'The provider and the variant it runs, such as `together/fp8`.' }),
    context_length: z.int().meta({ description: 'The most tokens that prompt and answer may have together.' }),
    max_completion_tokens: z.int().nullable().meta({ description: 'The most tokens that an answer may have.' }),
    max_prompt_tokens: nothing,
    quantization: z.string().nullable().meta({
      description:
        'The precision at which the weights of the model are stored, such as `fp8`; null if the provider does not publish it.',
    }),
    pricing: pricingShape,
    price_changes: priceChangesShape,
    supported_parameters: z
      .array(z.string())
      .meta({ description: 'The parameters of a request that the endpoint supports.' }),
    supports_implicit_caching: z
      .boolean()
      .meta({ description: 'Whether the endpoint caches prompts without a request for it.' }),
    supports_tool_choice: z
      .strictObject({
        auto: z
          .boolean()
          .meta({ description: 'Whether the choice `auto` is supported: the model decides whether it calls a tool.' }),
        none: z.boolean().meta({ description: 'Whether the choice `none` is supported: the model calls no tool.' }),
        required: z
          .boolean()
          .meta({ description: 'Whether the choice `required` is supported: the model has to call some tool.' }),
        function: z
          .boolean()
          .meta({ description: 'Whether a choice can name the function that the model has to call.' }),
      })
      .meta({ description: 'The choices of tools that the endpoint supports.' }),
    supports_voice_cloning: z.boolean().meta({ description: 'Always false, because no endpoint here clones voices.' }),
    data_policy: z
      .strictObject({
        logs_prompts: z
          .boolean()
          .meta({ description: 'Whether the provider may keep prompts for longer than the request takes.' }),
        trains_on_prompts: z.boolean().meta({ description: 'Whether the provider may train models on prompts.' }),
        retention_days: z
          .int()
          .nullable()
          .meta({ description: 'Number of days for which prompts are kept; null if the provider does not state it.' }),
      })
      .meta({ description: 'The use that the provider makes of prompts.' }),
    status: z.literal([0, -1]).optional().meta({
      description:
        'The health of the endpoint: 0 if it works, -1 if it is failing now and is tried after the others. It is absent if that is not known.',
    }),
    uptime_last_5m: percent.meta({
      description: 'The share of requests of the last five minutes that did not fail, in percent.',
    }),
    uptime_last_30m: percent.meta({
      description: 'The share of requests of the last half hour that did not fail, in percent.',
    }),
    uptime_last_1d: percent.meta({
      description: 'The share of requests of the last day that did not fail, in percent.',
    }),
    latency_last_30m: percentiles.meta({
      description:
        'The latency of the last half hour: milliseconds from the request to the first event of the answer, as percentiles that are exact to 10 %.',
    }),
    throughput_last_30m: percentiles.meta({
      description:
        'The throughput of the last half hour: tokens per second of complete answers, as percentiles that are exact to 10 %.',
    }),
    history: z
      .array(
        z.strictObject({
          hour: time.meta({ description: 'The beginning of the hour that the point is about.' }),
          uptime: percent.meta({ description: 'The share of requests of the hour that did not fail, in percent.' }),
          latency: z.number().nullable().meta({
            description: 'The median of the milliseconds from the request to the first event of the answer.',
          }),
          throughput: z.number().nullable().meta({
            description: 'The median of the tokens per second of complete answers.',
          }),
        }),
      )
      .optional()
      .meta({
        description:
          'Health and performance of the endpoint in each hour of the last thirty days, the oldest first, with `history=true`. An hour with fewer than ten requests is left out; one that has just ended comes ten minutes later.',
      }),
  })
  .meta({
    id: 'Endpoint',
    description: 'An endpoint: one provider’s offer of one model. Values that were not measured are null.',
  });
export type EndpointBody = z.output<typeof endpointShape>;

/** OpenAI's SDKs read these fields at the top level of a response. */
const topMembers = {
  id: z.string().meta({ description: 'The same as `data.id`. OpenAI’s SDKs read it here.' }),
  object: z.literal('model'),
  created: countShape.meta({ description: 'The same value as `data.created`. OpenAI’s SDKs read it here.' }),
  owned_by: z.string().meta({ description: 'The same value as `data.owned_by`. OpenAI’s SDKs read it here.' }),
};

export const modelAnswer = z.strictObject({
  ...topMembers,
  data: z
    .strictObject({
      ...modelFieldShapes,
      endpoints: z
        .array(endpointShape)
        .optional()
        .meta({ description: 'The endpoints of the model, in the order in which they are tried.' }),
    })
    .meta({ id: 'ModelWithEndpoints' }),
  routing: z
    .strictObject({
      default: routingSchema.meta({
        description:
          'The routing of the model; an empty object means that the cheapest healthy endpoint is tried first.',
      }),
    })
    .optional()
    .meta({ description: 'The routing that applies if a request has no preferences.' }),
});
export type ModelAnswer = z.output<typeof modelAnswer>;

const videoModelShape = z
  .strictObject({
    ...modelFieldShapes,
    pricing_skus: z.record(z.string(), rubText).meta({
      description:
        'The prices of a second of video in roubles, by resolution: `per-video-second-768p` is that of 768p.',
    }),
    allowed_passthrough_parameters: z
      .array(z.string())
      .meta({ description: 'Fields that are passed to the provider unchanged; there are none.' }),
    supported_durations: z.array(z.int()).meta({ description: 'The durations that the model makes, in seconds.' }),
    supported_resolutions: z
      .array(z.string())
      .meta({ description: 'The resolutions that the model makes, such as `768p`.' }),
    supported_aspect_ratios: z
      .array(z.string())
      .meta({ description: 'The aspect ratios that the model makes, such as `16:9`.' }),
    supported_sizes: nothing,
    supported_frame_images: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The pictures that the model takes: the first frame, the last frame, or both.' }),
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
    object: z.literal('list'),
    data: z.array(modelShape).meta({ description: 'One page of the list of models.' }),
    links: z
      .strictObject({
        next: z.string().nullable().meta({ description: 'The address of the next page; null on the last one.' }),
      })
      .meta({ description: 'The addresses of other pages of the list.' }),
    total_count: countShape.meta({ description: 'The number of models on all pages together.' }),
  })
  .meta({ id: 'ModelList' });
export type ModelListAnswer = z.output<typeof modelListAnswer>;
