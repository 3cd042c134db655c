import { z } from 'zod';
import { intervals } from '../../lambdas/money/periods.ts';
import { apiTypes } from '../../lambdas/store/generation.ts';
import { endings } from '../../lambdas/store/outcome.ts';
import { limitResets } from '../../lambdas/store/keys.ts';
import { sensitiveActions, sensitiveCategories } from '../../lambdas/store/sensitive-data.ts';
import { workspaceStatuses } from '../../lambdas/store/workspaces.ts';

/** Shapes of answers. They are strict: an answer with a field that is not here fails the tests. */

const time = z.iso.datetime({ offset: true });
const uuid = z.uuid();
const rub = z.number().meta({ description: 'RUB, exact.' });
const rubText = z.string().regex(/^\d+(\.\d{1,12})?$/);
const count = z.int().nonnegative();
const nothing = z.null();

export const errorShape = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.string().meta({ description: 'As the Messages API names it, e.g. invalid_request_error.' }),
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z.string().meta({ description: 'What was wrong, what is allowed, and what to do.' }),
      metadata: z
        .looseObject({ error_type: z.string(), field: z.string().optional() })
        .meta({ description: 'Stable values for programs: error_type, the field, and what belongs to the refusal.' }),
    }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

export const privacyShape = z
  .strictObject({
    version: count.meta({ description: 'Counts changes.' }),
    blockLogging: z.boolean(),
    blockTraining: z.boolean(),
    allowedProviders: z.array(z.string()),
    ignoredProviders: z.array(z.string()),
  })
  .meta({ id: 'Privacy' });

const sensitiveSettings = {
  enabled: z.boolean(),
  action: z.enum(sensitiveActions),
  categories: z.array(z.enum(sensitiveCategories)),
  restore: z.boolean(),
};

const spending = {
  limit: rub.nullable(),
  limit_remaining: rub.nullable().meta({ description: 'Of the current window, with holds counted.' }),
  limit_reset: z.enum(limitResets).nullable(),
  usage: rub,
  usage_daily: rub,
  usage_weekly: rub,
  usage_monthly: rub,
  currency: z.literal('RUB'),
};

const byok = {
  byok_usage: z.literal(0),
  byok_usage_daily: z.literal(0),
  byok_usage_weekly: z.literal(0),
  byok_usage_monthly: z.literal(0),
  include_byok_in_limit: z.literal(false),
  creator_user_id: nothing,
};

const keyFields = {
  hash: z.string(),
  workspace_id: uuid,
  member_id: z.string().nullable(),
  name: z.string(),
  label: z.string().meta({ description: 'The masked secret.' }),
  disabled: z.boolean(),
  ...spending,
  privacy: privacyShape,
  sensitive_data: z.strictObject({
    ...sensitiveSettings,
    dictionary: z.array(z.strictObject({ term: z.string(), substitute: z.string() })),
  }),
  created_at: time,
  updated_at: time.meta({ description: 'Of the last change; of the creation before the first.' }),
  expires_at: time.nullable(),
  ...byok,
  external_user: nothing,
};

export const keyShape = z.strictObject(keyFields).meta({ id: 'Key' });
export const createdKeyShape = z
  .strictObject({ ...keyFields, key: z.string().meta({ description: 'The secret, this once.' }) })
  .meta({ id: 'CreatedKey' });

export const currentKeyShape = z
  .strictObject({
    label: z.string(),
    ...spending,
    usage_limit_period: rub.meta({ description: 'Spending in the window of the limit.' }),
    expires_at: time.nullable(),
    is_management_key: z.boolean(),
    is_free_tier: z.boolean().meta({ description: 'The account is prepaid, and nothing was ever paid in.' }),
    organization_id: uuid,
    workspace_id: uuid.nullable(),
    sensitive_data: z.strictObject({ ...sensitiveSettings, dictionary_count: count }),
    ...byok,
    allowed_data_regions: z.array(z.string()),
    free_model_daily_requests: z.strictObject({ limit: count, remaining: count, used: count }),
    is_provisioning_key: z.boolean().meta({ description: 'The older name of `is_management_key`.' }),
    rate_limit: z.strictObject({ requests: z.int(), interval: z.string(), note: z.string() }),
  })
  .meta({ id: 'CurrentKey' });

export const budgetShape = z
  .strictObject({
    id: uuid.meta({ description: 'Stable per scope and interval.' }),
    workspace_id: uuid,
    member_id: z.string().optional().meta({ description: 'On budgets of members.' }),
    interval: z.enum(intervals),
    limit_rub: rubText,
    spend_rub: rubText.meta({ description: 'Settled in the current window.' }),
    remaining_rub: rubText.meta({ description: 'With holds counted.' }),
    resets_at: time.nullable(),
  })
  .meta({ id: 'Budget' });

export const workspaceShape = z
  .strictObject({
    id: uuid,
    account_id: uuid,
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    is_default: z.boolean(),
    status: z.enum(workspaceStatuses),
    created_at: time,
    updated_at: time,
    privacy: privacyShape,
    budgets: z.array(budgetShape),
    created_by: nothing,
    default_guardrail_id: z.string(),
    default_image_model: nothing,
    default_provider_sort: nothing,
    default_text_model: nothing,
    io_logging_api_key_ids: nothing,
    io_logging_sampling_rate: z.number(),
    is_data_discount_logging_enabled: z.boolean(),
    is_observability_broadcast_enabled: z.boolean(),
    is_observability_io_logging_enabled: z.boolean(),
  })
  .meta({ id: 'Workspace' });

export const memberShape = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    workspace_id: uuid,
    role: z.literal('member'),
    created_at: time,
    budgets: z.array(budgetShape),
  })
  .meta({ id: 'Member' });

export const activityRowShape = z
  .strictObject({
    date: z.iso.date(),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    provider_name: z.string(),
    usage: rub,
    byok_usage_inference: z.literal(0),
    requests: count,
    prompt_tokens: count,
    completion_tokens: count,
    reasoning_tokens: count,
    workspace_id: uuid.optional().meta({ description: 'With group_by=workspace.' }),
  })
  .meta({ id: 'ActivityRow' });

export const generationShape = z
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
    ending: z.enum(endings).nullable().meta({ description: 'How the answer ended.' }),
    provider_name: z.string(),
    latency: count.nullable().meta({ description: 'Milliseconds to the first event.' }),
    generation_time: count.nullable().meta({ description: 'Milliseconds.' }),
    tokens_prompt: count,
    tokens_completion: count,
    native_tokens_prompt: count,
    native_tokens_completion: count,
    native_tokens_reasoning: count.nullable(),
    native_tokens_cached: count.nullable(),
    native_tokens_cache_write: count.nullable().meta({ description: 'Written to a cache of five minutes.' }),
    native_tokens_cache_write_1h: count.nullable(),
    native_tokens_completion_images: nothing,
    num_search_results: count.nullable(),
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
    provider_responses: nothing,
    router: nothing,
    service_tier: nothing,
    web_search_engine: nothing,
  })
  .meta({ id: 'Generation' });

/** An answer of the Messages API, which grows faster than this document. */
export const messageShape = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the generation.' }),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    stop_sequence: z.string().nullable(),
    usage: z.looseObject({
      input_tokens: count,
      output_tokens: count,
      cost: rub.optional().meta({ description: 'What it cost, in RUB.' }),
    }),
  })
  .meta({ id: 'Message' });

export const data = <Shape extends z.ZodType>(shape: Shape) => z.strictObject({ data: shape });
export const list = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ data: z.array(shape), total_count: count });

export const deletedShape = z.strictObject({ deleted: z.literal(true) });
