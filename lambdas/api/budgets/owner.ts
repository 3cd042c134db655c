import { memberBudgets, workspaceBudgets, type BudgetOwner } from '../../management/budgets.ts';
import { findMember } from '../../management/members.ts';
import { checkActive, findWorkspace } from '../../management/workspaces.ts';
import type { Table } from '../../store/table/table.ts';
import type { SetLimits } from '../parts/view.ts';

export interface OwnedBudgets {
  owner: BudgetOwner;
  set: SetLimits;
  version: number;
}

interface OwnerPath {
  workspaceId: string;
  memberId?: string;
}

/**
 * Finds the owner of the budgets: a workspace, or one of its members.
 * @throws {GatewayError} 404 if the owner does not exist; 409 if an archived workspace is to be changed
 */
export async function budgetsOfPath(
  table: Table,
  accountId: string,
  path: OwnerPath,
  use: 'read' | 'change',
): Promise<OwnedBudgets> {
  const workspace = await findWorkspace(table, accountId, path.workspaceId);
  if (use === 'change') checkActive(workspace);
  if (path.memberId === undefined) {
    const owner = workspaceBudgets(accountId, workspace.id);
    return { owner, set: workspace, version: workspace.version };
  }
  const member = await findMember(table, workspace.id, path.memberId);
  return { owner: memberBudgets(workspace.id, member.id), set: member, version: member.version };
}
