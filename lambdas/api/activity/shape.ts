import * as z from 'zod';
import { countShape, dataShape, rub, uuid } from '../../http/shapes.ts';

const rowShape = z
  .strictObject({
    date: z.iso.date(),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    provider_name: z.string(),
    usage: rub,
    byok_usage_inference: z.literal(0),
    cache_saved_rub: rub.meta({
      description:
        'In RUB: what reading cached prompts saved against uncached input, less what writing caches cost; negative where that was more.',
    }),
    requests: countShape,
    prompt_tokens: countShape,
    completion_tokens: countShape,
    reasoning_tokens: countShape,
    workspace_id: uuid.optional().meta({ description: 'The id of the workspace, with `group_by=workspace`.' }),
  })
  .meta({ id: 'ActivityRow' });
export type ActivityRowBody = z.output<typeof rowShape>;

export const activityAnswer = dataShape(z.array(rowShape));
export type ActivityAnswer = z.output<typeof activityAnswer>;
