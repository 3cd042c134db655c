import * as z from 'zod';
import { countShape, dataShape, nothing, rub, time, uuid } from '../../http/shapes.ts';
import { apiTypes } from '../../store/generation.ts';
import { endings } from '../../store/outcome.ts';

const attemptShape = z.strictObject({
  endpoint_id: z.string(),
  model_permaslug: z.string(),
  provider_name: z.string(),
  status: countShape
    .nullable()
    .meta({ description: "The HTTP status of the provider's answer; null where it gave none." }),
  latency: countShape.optional().meta({ description: 'Milliseconds to its first event, or to its failure.' }),
  is_byok: z.literal(false),
  total_cost: rub,
});

const generationShape = z
  .strictObject({
    id: z.string(),
    total_cost: rub,
    usage: rub,
    currency: z.literal('RUB'),
    cache_discount: rub,
    created_at: time,
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    streamed: z.boolean(),
    cancelled: z.boolean(),
    estimated: z.boolean().meta({ description: 'The provider did not tell its usage; the gateway counted it.' }),
    capped: z
      .boolean()
      .meta({ description: 'The provider told more than the request could come to; it is charged at that bound.' }),
    ending: z.enum(endings).nullable().meta({ description: 'How the answer came to its end.' }),
    provider_name: z.string(),
    latency: countShape.nullable().meta({ description: 'Milliseconds to the first event.' }),
    generation_time: countShape
      .nullable()
      .meta({ description: 'A duration in milliseconds; null where it is not known.' }),
    tokens_prompt: countShape,
    tokens_completion: countShape,
    native_tokens_prompt: countShape,
    native_tokens_completion: countShape,
    native_tokens_reasoning: countShape.nullable(),
    native_tokens_cached: countShape.nullable(),
    native_tokens_cache_write: countShape.nullable().meta({ description: 'Written to a cache of five minutes.' }),
    native_tokens_cache_write_1h: countShape.nullable(),
    native_tokens_completion_images: nothing,
    num_search_results: countShape.nullable(),
    num_fetches: nothing,
    num_media_prompt: nothing,
    num_media_completion: nothing,
    num_input_audio_prompt: nothing,
    api_type: z.enum(apiTypes),
    workspace_id: uuid,
    finish_reason: z.string().nullable(),
    native_finish_reason: z.string().nullable(),
    is_byok: z.literal(false),
    upstream_inference_cost: nothing,
    upstream_id: nothing,
    origin: z.string(),
    data_region: z.string(),
    app_id: nothing,
    external_user: nothing,
    http_referer: nothing,
    user_agent: nothing,
    moderation_latency: nothing,
    preset_id: nothing,
    provider_responses: z
      .array(attemptShape)
      .meta({ description: 'Every attempt, in order; all but the last have failed.' }),
    router: nothing,
    service_tier: nothing,
    web_search_engine: nothing,
  })
  .meta({ id: 'Generation' });
export type GenerationBody = z.output<typeof generationShape>;

export const generationAnswer = dataShape(generationShape);
export type GenerationAnswer = z.output<typeof generationAnswer>;
