import * as z from 'zod';
import { freeLimitSources } from '../../admission/free/free-refusal.ts';
import { limitSourceNames } from '../../admission/refusal.ts';
import { countShape, nothing, rub, rubText, time, uuid } from '../../http/shapes.ts';
import { intervals, resets } from '../../money/periods.ts';
import { leftOutReasons } from '../../routing/exclusions.ts';

export const generationId = z.string().meta({
  description: 'The id of the generation, which is the record of this request: `GET /generation` shows it.',
});
export const answeringModel = z.string().meta({ description: 'The id of the model that answered.' });
export const modelPermaslug = z.string().meta({
  description:
    'The permanent id of the model, which always means this version, even if its `model` id is given to a newer one.',
});
export const reportedTagsShape = z.record(z.string(), z.string()).meta({
  description:
    'The value of each tag in `group_by`: the value that the requests had, or else the value that their key has now, or else an empty text. It is `~other` if a key’s requests had more combinations of values in a day than are counted separately.',
});
export const answeringProvider = z.string().meta({ description: 'The name of the provider that answered.' });
export const lateCostShape = rub.optional().meta({
  description:
    'What the request cost, in RUB; absent while it is not known: the record of the generation has it a little later.',
});

/** Fields that a model has in all lists in the format of OpenRouter's API. */
export const availabilityShape = {
  available: z.boolean().nullable().meta({
    description:
      'Whether the model can be called: whether the operator has set up one of its providers. The value may be two minutes old; null if it is not known.',
  }),
  unavailable_reason: z
    .string()
    .optional()
    .meta({ description: 'Why the model cannot be called here; only if `available` is false.' }),
};

const settled = 'The roubles that settled requests have cost';

/** Spending in total, and in the current day, week and month in UTC. */
export const periodUsageShape = {
  usage: rub.meta({ description: `${settled}.` }),
  usage_daily: rub.meta({ description: `${settled} today.` }),
  usage_weekly: rub.meta({ description: `${settled} since Monday.` }),
  usage_monthly: rub.meta({ description: `${settled} since the first of the month.` }),
};
export type PeriodUsage = z.output<z.ZodObject<typeof periodUsageShape>>;

export const budgetFields = {
  interval: z.enum(intervals).meta({ description: 'The period that the budget is for, in UTC.' }),
  limit_rub: rubText.meta({ description: 'The most that may be spent in the period, in roubles.' }),
  spend_rub: rubText.meta({ description: 'The roubles that settled requests have cost in the current period.' }),
  remaining_rub: rubText.meta({
    description: 'The remaining roubles in the period, minus the amount held (set aside) for running requests.',
  }),
  resets_at: time.nullable().meta({ description: 'The time at which the budget starts anew; null for never.' }),
  created_at: time.meta({ description: 'The time at which the interval was first limited.' }),
  updated_at: time.meta({ description: 'The time at which the limit was last changed.' }),
};

export const budgetShape = z
  .strictObject({
    id: uuid.meta({ description: 'An id that is the same for as long as the workspace or member has this interval.' }),
    workspace_id: uuid.meta({ description: 'The id of the workspace.' }),
    member_id: z.string().optional().meta({ description: 'The id of the member, on budgets of members.' }),
    limit_usd: nothing.meta({
      description: 'Always null, because this gateway counts in RUB. Clients of OpenRouter’s API read this field.',
    }),
    reset_interval: z.enum(resets).nullable().meta({ description: 'The same as `interval`; null for lifetime.' }),
    ...budgetFields,
  })
  .meta({ id: 'Budget' });
export type BudgetBody = z.output<typeof budgetShape>;
export type BudgetPeriod = Pick<BudgetBody, keyof typeof budgetFields>;

export const privacyShape = z
  .strictObject({
    version: countShape.meta({ description: 'A number that grows with each change.' }),
    blockLogging: z.boolean().meta({ description: 'With true no provider is used that keeps prompts.' }),
    blockTraining: z.boolean().meta({ description: 'With true no provider is used that trains on prompts.' }),
    allowedProviders: z
      .array(z.string())
      .meta({ description: 'Only these providers are used; an empty list allows all.' }),
    ignoredProviders: z.array(z.string()).meta({ description: 'None of these providers is used.' }),
  })
  .meta({ id: 'Privacy', description: 'The rule which providers may see the requests of a key or of a workspace.' });
export type PrivacyBody = z.output<typeof privacyShape>;

/** Limits on the use of a key, or of each key of a workspace or member. */
export const useLimitsShape = {
  allowed_models: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The ids and patterns of the models that may be called; null for all models.' }),
  allowed_networks: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The networks from which requests may come, in CIDR notation; null for all networks.' }),
  rpm_limit: countShape
    .nullable()
    .meta({ description: 'The most requests of a key that are admitted in a UTC minute; null for no limit.' }),
  tpm_limit: countShape
    .nullable()
    .meta({ description: 'The most tokens of a key in a UTC minute, prompts and answers; null for no limit.' }),
  parallel_limit: countShape
    .nullable()
    .meta({ description: 'The most requests of a key that run at once; null for no limit.' }),
  required_tags: z.record(z.string(), z.array(z.string()).nullable()).nullable().meta({
    description: 'The tags that each request must have, with their allowed values, or null for any value.',
  }),
};

const model = z.string().meta({ description: 'The id of the model.' });
const endpointId = z.string().meta({ description: 'The id of the endpoint: an offer of the model by a provider.' });
const providerName = z.string().meta({ description: 'The name of the provider.' });

const { budget: budgetSource, ...requestSources } = freeLimitSources;
const freeLimit = {
  model: z.string().meta({ description: 'The id of the free model.' }),
  resets_at: time.meta({ description: 'The time at which the limit starts anew.' }),
  admits: z.boolean().meta({
    description: 'Whether there is room for this request. If not, the other models of the request are tried.',
  }),
};

const freeLimitShape = z
  .union([
    z.strictObject({
      ...freeLimit,
      source: z.enum(Object.values(requestSources)).meta({
        description: 'The name of the limit, as a refusal (429) has it.',
      }),
      limit_requests: countShape.meta({ description: 'The maximum number of requests to free models in the period.' }),
      remaining_requests: countShape.meta({ description: 'The number of requests that remain in the period.' }),
    }),
    z.strictObject({
      ...freeLimit,
      source: z.literal(budgetSource).meta({
        description: 'The roubles that the service spends on the model in a day. The remaining amount is not shown.',
      }),
    }),
  ])
  .meta({ id: 'FreeLimit', description: 'A limit on a free model, and its remaining requests.' });
export type FreeLimitBody = z.output<typeof freeLimitShape>;

export const estimateAnswerShape = z
  .strictObject({
    data: z
      .strictObject({
        input_tokens: countShape.meta({
          description: 'The tokens that the prompt probably has: 0 for a video, whose prompt is not charged.',
        }),
        hold_rub: rubText.meta({
          description:
            'The roubles that would be held (set aside) before anything is sent: the prompt and the first part of the answer, at the most expensive candidate. The hold grows with a long answer. If a limit of `limits` has no room, `required_rub` of the refusal is this amount or less, because it is for the shortest possible answer.',
        }),
        admits: z.boolean().meta({
          description:
            'Whether the limits have room for the request now. If false, the request itself gets a 402, or a 429 if a limit of the free models has no room.',
        }),
        allowed_max_tokens: countShape.nullable().meta({
          description:
            'The longest answer for which there is room, thinking included, if the request would be admitted only with a shorter answer; otherwise null.',
        }),
        affordable_max_tokens: countShape.nullable().meta({
          description:
            'The `max_tokens` with which a refused request would be admitted. Null if the request is admitted, or if even a short answer would be refused. It is the `affordable_max_tokens` of the refusal (402).',
        }),
        candidates: z
          .array(
            z.strictObject({
              model,
              endpoint_id: endpointId,
              provider_name: providerName,
              min_cost_rub: rubText.meta({
                description:
                  'Lower bound on the roubles that an answer of this endpoint costs: fees per request, images and seconds of video. It is 0 if the endpoint charges only tokens or searches.',
              }),
              input_cost_rub: rubText.meta({
                description:
                  'The roubles that the prompt probably costs, by `input_tokens` and without caches. It is an estimate, not a bound. For a video it is the whole price.',
              }),
              max_cost_rub: rubText.meta({
                description: 'The most roubles that the request may cost at this endpoint, with the longest answer.',
              }),
            }),
          )
          .meta({ description: 'The endpoints that would be tried, in this order.' }),
        excluded: z
          .array(
            z.strictObject({
              model,
              endpoint_id: endpointId,
              provider_name: providerName,
              reason: z.enum(leftOutReasons).meta({
                description:
                  'Why it would not be tried. Privacy settings: `allowed_providers`, `ignored_providers`, `data_policy:logging`, `data_policy:training`. Fields of `provider` in the request or of the model’s usual routing: `only`, `ignore`, `order`, `quantizations`, `data_collection`, `zdr`, `enforce_distillable_text`, `require_parameters`, `max_price`. The endpoint: `no_price`, `no_credential` (its operator has set none), `other_answers` (it gives no answers of this kind), `request_not_supported` (it does not support a part of the request). Endpoints that come before it: `too_many_endpoints` (a request tries only a few), `no_fallbacks` (`allow_fallbacks` is false). Limits: `no_room` (they have room only for free models), `free_limit` (a limit of this free model is used up, so other models are tried).',
              }),
              message: z.string().optional().meta({
                description:
                  'The part of the request that the endpoint does not support; only with `request_not_supported`.',
              }),
            }),
          )
          .meta({ description: 'The other endpoints of the models.' }),
        limits: z
          .array(
            z.strictObject({
              source: z
                .enum(limitSourceNames)
                .meta({ description: 'The name of the limit, as a refusal (402) has it.' }),
              tag: z.string().optional().meta({
                description: 'The tag that has the budget, for example `project=lake`; only for `tag_budget`.',
              }),
              interval: z.enum(intervals).meta({ description: 'The period of the limit, in UTC.' }),
              limit_rub: rubText.meta({ description: 'The most that may be spent in the period, in roubles.' }),
              remaining_rub: rubText.meta({
                description: 'The remaining roubles, minus the amount held for running requests.',
              }),
              admits: z.boolean().meta({ description: 'Whether there is room for `hold_rub`.' }),
            }),
          )
          .meta({
            description:
              'Each limit of the key, its workspace, its member, its account and the tags of the request; empty if there is none.',
          }),
        free_limits: z.array(freeLimitShape).meta({
          description:
            'Each limit on each free model of the request, with its remaining room. The estimate uses up none of it. Empty if no free model may answer.',
        }),
      })
      .meta({ description: 'The estimate of the request.' }),
  })
  .meta({ id: 'Estimate' });
export type EstimateAnswer = z.output<typeof estimateAnswerShape>;

/** Parts of the usage in OpenAI's APIs that only some answers have. */
export const writtenLifetimes = z
  .looseObject({
    ephemeral_5m_input_tokens: countShape.meta({ description: 'Tokens written for five minutes.' }),
    ephemeral_1h_input_tokens: countShape.meta({ description: 'Tokens written for an hour.' }),
  })
  .optional()
  .meta({ description: 'The lifetimes of `cache_write_tokens`, if some tokens were written for an hour.' });
export const searchesShape = z
  .looseObject({
    web_search_requests: countShape.meta({ description: 'Searches, whose fees are part of `cost`.' }),
  })
  .optional()
  .meta({ description: 'The searches of the answer, if it could search.' });
export const recordingTokens = countShape
  .optional()
  .meta({ description: 'Tokens of recordings, if the prompt has any.' });
