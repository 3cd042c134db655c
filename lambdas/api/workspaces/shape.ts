import * as z from 'zod';
import { dataShape, listShape, nothing, time, uuid } from '../../http/shapes.ts';
import { workspaceStatuses } from '../../store/workspaces.ts';
import { budgetShape, privacyShape } from '../parts/shape.ts';

const workspaceShape = z
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
export type WorkspaceBody = z.output<typeof workspaceShape>;

export const workspaceAnswer = dataShape(workspaceShape);
export type WorkspaceAnswer = z.output<typeof workspaceAnswer>;

export const workspaceListAnswer = listShape(workspaceShape);
export type WorkspaceListAnswer = z.output<typeof workspaceListAnswer>;

export const deletedWorkspaceAnswer = z.strictObject({ deleted: z.literal(true), archived: z.boolean() });
export type DeletedWorkspaceAnswer = z.output<typeof deletedWorkspaceAnswer>;
