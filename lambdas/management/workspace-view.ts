import { readCounter, readCounters, type Counter } from '../store/counters.ts';
import type { Table } from '../store/table.ts';
import type { Member } from '../store/members.ts';
import { memberScope } from '../store/payer.ts';
import type { Workspace } from '../store/workspaces.ts';
import { budgetViews, memberBudgets, workspaceBudgets } from './budgets.ts';
import { privacyView } from './key-view.ts';

/** Fields of the public convention for what this gateway does not have. */
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

/** A workspace with its budgets; an empty counter for one that has just come into being. */
export function workspaceView(workspace: Workspace, counter: Counter): Record<string, unknown> {
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
    budgets: budgetViews(workspaceBudgets(workspace.accountId, workspace.id), workspace.limits, counter),
    ...workspaceConventionFields,
  };
}

/** A workspace with its budgets and what is left of them. */
export async function showWorkspace(table: Table, workspace: Workspace): Promise<Record<string, unknown>> {
  return workspaceView(workspace, await readCounter(table, { kind: 'workspace', id: workspace.id }));
}

export async function showWorkspaces(table: Table, workspaces: Workspace[]): Promise<Record<string, unknown>[]> {
  const counterOf = await readCounters(
    table,
    'workspace',
    workspaces.map(({ id }) => id),
  );
  return workspaces.map((workspace) => workspaceView(workspace, counterOf(workspace.id)));
}

/** Members of one workspace with their budgets. */
export async function showMembers(
  table: Table,
  workspaceId: string,
  members: Member[],
): Promise<Record<string, unknown>[]> {
  const scopeIds = members.map(({ id }) => memberScope(workspaceId, id).id);
  return memberViews(workspaceId, members, await readCounters(table, 'member', scopeIds));
}

/** @param counterOf the counter of a member's scope id */
export function memberViews(
  workspaceId: string,
  members: Member[],
  counterOf: (scopeId: string) => Counter,
): Record<string, unknown>[] {
  return members.map((member) => ({
    id: member.id,
    user_id: member.id,
    workspace_id: workspaceId,
    role: 'member',
    created_at: member.createdAt,
    budgets: budgetViews(
      memberBudgets(workspaceId, member.id),
      member.limits,
      counterOf(memberScope(workspaceId, member.id).id),
    ),
  }));
}
