import type { ScopeId } from '../counters/counters.ts';
import { optional, record, text, type RecordOf } from '../table/record.ts';

export const payerRecord = record({
  accountId: text('account_id'),
  workspaceId: text('workspace_id'),
  memberId: optional(text('member_id')),
  keyHash: text('key_hash'),
});

/** The ids of the account, workspace, member and key that pay for a generation. Its scopes follow from them. */
export type Payer = RecordOf<typeof payerRecord>;

/** The scopes that count a payer's spending. */
export function scopesOf({ accountId, workspaceId, memberId, keyHash }: Payer): ScopeId[] {
  const scopes: ScopeId[] = [
    { kind: 'key', id: keyHash },
    { kind: 'workspace', id: workspaceId },
    { kind: 'account', id: accountId },
  ];
  if (memberId !== undefined) scopes.push(memberScope(workspaceId, memberId));
  return scopes;
}

/** The scope of a member: its budget is per workspace. */
export function memberScope(workspaceId: string, memberId: string): ScopeId {
  return { kind: 'member', id: `${workspaceId}/${memberId}` };
}
