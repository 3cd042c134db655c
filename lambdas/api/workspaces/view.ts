import { workspaceBudgets } from '../../management/budgets.ts';
import { useLimitsView } from '../../management/use-limits.ts';
import { readCounter, readCounters, type Counter } from '../../store/counters/counters.ts';
import type { Table } from '../../store/table/table.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { budgetViews, periodUsage, privacyView } from '../parts/view.ts';
import type { WorkspaceBody } from './shape.ts';

/** Fields of OpenRouter's API for features that this gateway does not have. */
export const workspaceConventionFields = {
  created_by: null,
  default_guardrail_id: '',
  default_image_model: null,
  default_provider_sort: null,
  default_text_model: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
};

/** Converts a workspace with its budgets to the API's format. */
export function workspaceView(workspace: Workspace, counter: Counter): WorkspaceBody {
  return {
    id: workspace.id,
    account_id: workspace.accountId,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    is_default: workspace.isDefault,
    status: workspace.status,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
    privacy: privacyView(workspace.privacy),
    ...useLimitsView(workspace),
    ...periodUsage(counter),
    budgets: budgetViews(workspaceBudgets(workspace.accountId, workspace.id), workspace, counter),
    ...workspaceConventionFields,
  };
}

export async function showWorkspace(table: Table, workspace: Workspace): Promise<WorkspaceBody> {
  return workspaceView(workspace, await readCounter(table, { kind: 'workspace', id: workspace.id }));
}

export async function showWorkspaces(table: Table, workspaces: Workspace[]): Promise<WorkspaceBody[]> {
  const counterOf = await readCounters(
    table,
    'workspace',
    workspaces.map(({ id }) => id),
  );
  return workspaces.map((workspace) => workspaceView(workspace, counterOf(workspace.id)));
}
