import type { ScopeId } from '../counters/counters.ts';
import { optional, record, text, type RecordOf } from '../table/record.ts';

export const payerRecord = record({
  accountId: text('account_id'),
  workspaceId: text('workspace_id'),
  memberId: optional(text('member_id')),
  keyHash: text('key_hash'),
});

/**
 * Ids of the account, workspace, member and key that pay for a generation. They determine which scopes (units with
 * counters and limits) count the cost.
 */
export type Payer = RecordOf<typeof payerRecord>;

/** Returns the scopes that count a payer's spending. */
export function scopesOf({ accountId, workspaceId, memberId, keyHash }: Payer): ScopeId[] {
  const scopes: ScopeId[] = [
    { kind: 'key', id: keyHash },
    { kind: 'workspace', id: workspaceId },
    { kind: 'account', id: accountId },
  ];
  if (memberId !== undefined) scopes.push(memberScope(workspaceId, memberId));
  return scopes;
}

/** Returns the scope of a member. A member's budget belongs to one workspace. */
export function memberScope(workspaceId: string, memberId: string): ScopeId {
  return { kind: 'member', id: `${workspaceId}/${memberId}` };
}
