import * as z from 'zod';
import { dataShape, listShape, nothing, time, uuid } from '../../http/shapes.ts';
import { workspaceStatuses } from '../../store/accounts/workspaces.ts';
import { budgetShape, periodUsageShape, privacyShape, useLimitsShape } from '../parts/shape.ts';

const workspaceShape = z
  .strictObject({
    id: uuid.meta({ description: 'The id of the workspace; requests may also name it by its slug.' }),
    account_id: uuid.meta({ description: 'The id of the account that the workspace belongs to.' }),
    name: z.string().meta({ description: 'The name of the workspace for people.' }),
    slug: z.string().meta({ description: 'A short name of the workspace that is unique in the account.' }),
    description: z.string().meta({ description: 'A description of the workspace for people.' }),
    is_default: z
      .boolean()
      .meta({ description: 'Whether this is the workspace that every account has, which cannot be deleted.' }),
    status: z
      .enum(workspaceStatuses)
      .meta({ description: 'With `archived` the keys of the workspace do not work, and its history stays readable.' }),
    created_at: time.meta({ description: 'The time at which the workspace was created.' }),
    updated_at: time.meta({ description: 'The time of the last change.' }),
    privacy: privacyShape,
    ...useLimitsShape,
    ...periodUsageShape,
    budgets: z
      .array(budgetShape)
      .meta({ description: 'The limits of spending by period; a period that is absent has no limit.' }),
    created_by: nothing,
    default_guardrail_id: z.string().meta({
      description: 'Always empty: clients of OpenRouter’s API read this field, and this gateway has no value for it.',
    }),
    default_image_model: nothing,
    default_provider_sort: nothing,
    default_text_model: nothing,
    io_logging_api_key_ids: nothing,
    io_logging_sampling_rate: z.number().meta({
      description:
        'Always 1, and without a meaning, because no prompts or answers are logged here. Clients of OpenRouter’s API read this field.',
    }),
    is_data_discount_logging_enabled: z.boolean().meta({
      description:
        'Always false, because no prompts or answers are logged here. Clients of OpenRouter’s API read this field.',
    }),
    is_observability_broadcast_enabled: z.boolean().meta({
      description:
        'Always false, because no prompts or answers are logged here. Clients of OpenRouter’s API read this field.',
    }),
    is_observability_io_logging_enabled: z.boolean().meta({
      description:
        'Always false, because no prompts or answers are logged here. Clients of OpenRouter’s API read this field.',
    }),
  })
  .meta({ id: 'Workspace' });
export type WorkspaceBody = z.output<typeof workspaceShape>;

export const workspaceAnswer = dataShape(workspaceShape);
export type WorkspaceAnswer = z.output<typeof workspaceAnswer>;

export const workspaceListAnswer = listShape(workspaceShape);
export type WorkspaceListAnswer = z.output<typeof workspaceListAnswer>;

export const deletedWorkspaceAnswer = z.strictObject({
  deleted: z.literal(true),
  archived: z
    .boolean()
    .meta({ description: 'Whether the workspace is kept, because it had keys or spending, or more than 80 members.' }),
});
export type DeletedWorkspaceAnswer = z.output<typeof deletedWorkspaceAnswer>;
