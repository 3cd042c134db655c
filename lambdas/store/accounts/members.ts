import { limitsField, limitTimesField } from '../counters/limits.ts';
import { queryPartition, readItem, readItems } from '../table/query.ts';
import { count, flag, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { useLimitFields } from './use-limits.ts';
import { check, putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

const memberRecord = record({
  id: text('id'),
  workspaceId: text('workspace_id'),
  accountId: text('account_id'),
  removed: flag('removed'),
  limits: limitsField('limits'),
  limitTimes: limitTimesField,
  ...useLimitFields,
  revision: count('revision'),
  /** Number of the member's version, which is also its ETag; 1 for a new member. */
  version: count('version'),
  createdAt: text('created_at'),
});

/** A person or service with access to one workspace. */
export type Member = RecordOf<typeof memberRecord>;

export const memberFrom = memberRecord.from;
export const memberAttributes = memberRecord.attributes;

export function memberKey(workspaceId: string, memberId: string): Key {
  return { pk: `WORKSPACE#${workspaceId}`, sk: `MEMBER#${memberId}` };
}

/** Returns the write of a member. `member.version` is the version to write: 1 for a new member. */
export function memberPut(table: Table, member: Member): Write {
  const key = memberKey(member.workspaceId, member.id);
  const item = { ...key, entity: 'member', ...memberRecord.toItem(member) };
  return member.version === 1 ? putNew(table, item) : putOver(table, item, member.version - 1);
}

export function memberRemoval(table: Table, { workspaceId, id }: Member): Write {
  return remove(table, memberKey(workspaceId, id));
}

/** Returns the check that fails a transaction unless the member has access. */
export function mustHaveAccess(table: Table, workspaceId: string, memberId: string): Write {
  return check(table, memberKey(workspaceId, memberId), { equal: { removed: false } });
}

/** Returns the members of a workspace in the order in which they were added, including removed members. */
export async function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  const members: Member[] = [];
  for await (const item of queryPartition(table, `WORKSPACE#${workspaceId}`, 'MEMBER#')) members.push(memberFrom(item));
  return members.sort((a, b) => (a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1));
}

/** Returns the existing members with these ids, including removed members, by id. */
export async function readMembers(table: Table, workspaceId: string, ids: string[]): Promise<Map<string, Member>> {
  const items = await readItems(
    table,
    ids.map((id) => memberKey(workspaceId, id)),
  );
  return new Map(items.map(memberFrom).map((member) => [member.id, member]));
}

export async function readMember(table: Table, workspaceId: string, memberId: string): Promise<Member | undefined> {
  const item = await readItem(table, memberKey(workspaceId, memberId));
  return item && memberFrom(item);
}
