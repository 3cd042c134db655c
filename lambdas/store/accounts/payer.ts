import type { ScopeId } from '../counters/counters.ts';
import { countedTagsField, tagScope } from '../counters/tag-scopes.ts';
import { optional, record, text, unreleased, type RecordOf, type StoredRecord } from '../table/record.ts';

const storedPayer = record({
  accountId: text('account_id'),
  workspaceId: text('workspace_id'),
  memberId: optional(text('member_id')),
  keyHash: text('key_hash'),
  /** Tags that had a budget when the request was admitted. */
  countedTags: unreleased(optional(countedTagsField)),
});
type StoredPayer = RecordOf<typeof storedPayer>;

/** Determines the scopes to whose counters the cost of a generation is added. */
export type Payer = Omit<StoredPayer, 'countedTags'> & Partial<Pick<StoredPayer, 'countedTags'>>;

export const payerRecord = storedPayer as StoredRecord<Payer>;

/** Returns the scopes whose counters contain a payer's spending. */
export function scopesOf({ accountId, workspaceId, memberId, keyHash, countedTags = [] }: Payer): ScopeId[] {
  const scopes: ScopeId[] = [
    { kind: 'key', id: keyHash },
    { kind: 'workspace', id: workspaceId },
    { kind: 'account', id: accountId },
  ];
  if (memberId !== undefined) scopes.push(memberScope(workspaceId, memberId));
  for (const tag of countedTags) scopes.push(tagScope(accountId, tag));
  return scopes;
}

/** Returns the scope of a member. A member's budget belongs to one workspace. */
export function memberScope(workspaceId: string, memberId: string): ScopeId {
  return { kind: 'member', id: `${workspaceId}/${memberId}` };
}
