import * as z from 'zod';
import { countShape, dataShape, rub, uuid } from '../../http/shapes.ts';
import { periodUsageShape, modelPermaslug, reportedTagsShape } from '../parts/shape.ts';

const rowShape = z
  .strictObject({
    date: z.iso.date().meta({ description: 'The day that the row is about, in UTC.' }),
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    model_permaslug: modelPermaslug,
    endpoint_id: z
      .string()
      .meta({ description: 'The id of the endpoint (one provider’s offer of the model) that got the request.' }),
    provider_name: z.string().meta({ description: 'The name of the provider that got the request.' }),
    usage: rub.meta({ description: 'The exact amount in RUB that the requests cost.' }),
    byok_usage_inference: z.literal(0),
    cache_saved_rub: rub.meta({
      description:
        'The money that reading cached prompts saved, minus the cost of writing caches, in RUB; negative if writing cost more.',
    }),
    requests: countShape.meta({ description: 'The number of requests that were completed or charged.' }),
    prompt_tokens: countShape.meta({
      description: 'All tokens of the prompts, including those that were read from a cache or written to it.',
    }),
    completion_tokens: countShape.meta({ description: 'All tokens of the answers, thinking included.' }),
    reasoning_tokens: countShape.meta({ description: 'The part of `completion_tokens` that is thinking.' }),
    workspace_id: uuid
      .optional()
      .meta({ description: 'The id of the workspace, with `group_by=workspace` or `member`.' }),
    api_key_hash: z.string().optional().meta({ description: 'The hash of the key, with `group_by=key`.' }),
    user_id: z
      .string()
      .nullish()
      .meta({ description: 'The id of the member, with `group_by=member`; null for requests of no member.' }),
    tags: reportedTagsShape.optional(),
  })
  .meta({ id: 'ActivityRow' });
export type ActivityRowBody = z.output<typeof rowShape>;

export const activityAnswer = dataShape(z.array(rowShape));
export type ActivityAnswer = z.output<typeof activityAnswer>;

const { usage_daily, usage_weekly, usage_monthly } = periodUsageShape;

const modelSpendingShape = z
  .strictObject({
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    usage_daily,
    usage_weekly,
    usage_monthly,
  })
  .meta({ id: 'ModelSpending' });

export const modelSpendingAnswer = z
  .strictObject({
    data: z.array(modelSpendingShape).meta({ description: 'Each model that cost anything in this week or month.' }),
    counted_from: z.iso.date().nullable().meta({
      description:
        'The first UTC day of this week and month on which a model was counted; null if none was. `GET /activity` has the spending of earlier days, if there is any.',
    }),
  })
  .meta({ id: 'SpendingByModel' });
export type ModelSpendingAnswer = z.output<typeof modelSpendingAnswer>;
