import { memberBudgets } from '../../management/budgets.ts';
import { useLimitsView } from '../../management/use-limits.ts';
import { readCounters, type Counter } from '../../store/counters/counters.ts';
import type { Table } from '../../store/table/table.ts';
import type { Member } from '../../store/accounts/members.ts';
import { memberScope } from '../../store/accounts/payer.ts';
import { budgetViews, periodUsage } from '../parts/view.ts';
import type { MemberBody } from './shape.ts';

export async function showMembers(table: Table, workspaceId: string, members: Member[]): Promise<MemberBody[]> {
  const scopeIds = members.map(({ id }) => memberScope(workspaceId, id).id);
  return memberViews(workspaceId, members, await readCounters(table, 'member', scopeIds));
}

/**
 * Converts members to the API's format.
 * @param counterOf returns the counter of a member by its scope id
 */
export function memberViews(
  workspaceId: string,
  members: Member[],
  counterOf: (scopeId: string) => Counter,
): MemberBody[] {
  return members.map((member) => {
    const counter = counterOf(memberScope(workspaceId, member.id).id);
    return {
      id: member.id,
      user_id: member.id,
      workspace_id: workspaceId,
      role: 'member',
      created_at: member.createdAt,
      ...useLimitsView(member),
      ...periodUsage(counter),
      budgets: budgetViews(memberBudgets(workspaceId, member.id), member, counter),
    };
  });
}
