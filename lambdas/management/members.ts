import { nowMs } from '../platform/clock.ts';
import { conflict, notFound } from '../platform/errors.ts';
import { activeUpdate, configureUpdate } from '../store/counters/counters.ts';
import { gatherGranted } from '../store/counters/limited-parts.ts';
import { listMembers, memberPut, readMember, readMembers, type Member } from '../store/accounts/members.ts';
import { memberScope } from '../store/accounts/payer.ts';
import { noUseLimits } from '../store/accounts/use-limits.ts';
import type { Table } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import type { Workspace } from '../store/accounts/workspaces.ts';
import {
  checkVersion,
  commitChange,
  noExtraWrite,
  retryOnConflict,
  type ExtraWrite,
  type ChangeContext,
} from './change.ts';
import { changedUseLimits, useLimitsForAudit, type UseLimitsChange } from './use-limits.ts';
import { checkActive } from './workspaces.ts';

/**
 * Maximum number of members in one change. Each member needs two items of a transaction, which has at most a hundred
 * items.
 */
export const MAX_MEMBERS_AT_ONCE = 40;
/** Maximum number of members of a workspace. With more members, reading the list would need many queries. */
const MAX_MEMBERS = 10_000;

/**
 * Reads a member of a workspace who was not removed.
 * @throws {GatewayError} 404 if there is no such member
 */
export async function findMember(table: Table, workspaceId: string, memberId: string): Promise<Member> {
  const member = await readMember(table, workspaceId, memberId);
  if (!member || member.removed) throw missing(memberId);
  return member;
}

/** Returns the members who were not removed, in the order in which they were added. */
export async function activeMembers(table: Table, workspaceId: string): Promise<Member[]> {
  return (await listMembers(table, workspaceId)).filter(({ removed }) => !removed);
}

export interface MembersChange {
  members: Member[];
  changed: number;
}

/**
 * Adds people or services as members of a workspace, either all or none. A removed member returns with its budgets and
 * counters.
 * @throws {GatewayError} 409 in an archived workspace, for too many members, or if other changes keep interfering;
 *   `AlreadyAnsweredError` as `commitChange` does
 */
export async function addMembers(
  context: ChangeContext,
  workspace: Workspace,
  memberIds: string[],
  alongside: ExtraWrite<MembersChange> = noExtraWrite,
): Promise<MembersChange> {
  checkActive(workspace);
  const ids = [...new Set(memberIds)];
  if ((await listMembers(context.table, workspace.id)).length + ids.length > MAX_MEMBERS) {
    throw conflict(`A workspace has at most ${MAX_MEMBERS} members.`);
  }
  return retryOnConflict(async () => {
    const known = await readMembers(context.table, workspace.id, ids);
    const members = ids.map((id) => known.get(id) ?? newMember(workspace, id));
    const toChange = members.filter((member) => !known.has(member.id) || member.removed);
    const result = {
      members: members.map((member) => ({ ...member, removed: false })),
      changed: toChange.length,
    };
    return commitMembers(context, workspace, { action: 'member.add', removed: false }, toChange, result, alongside);
  });
}

/**
 * Removes the access of members; their keys stop working.
 * @throws {GatewayError} 404 if one of them has no access; 409 in an archived workspace, or if other changes keep
 *   interfering; `AlreadyAnsweredError` as `commitChange` does
 */
export async function removeMembers(
  context: ChangeContext,
  workspace: Workspace,
  memberIds: string[],
  alongside: ExtraWrite<MembersChange> = noExtraWrite,
): Promise<MembersChange> {
  checkActive(workspace);
  const ids = [...new Set(memberIds)];
  return retryOnConflict(async () => {
    const known = await readMembers(context.table, workspace.id, ids);
    const members = ids.map((id) => known.get(id));
    const absent = ids.find((_, index) => members[index]?.removed !== false);
    if (absent !== undefined) throw missing(absent);
    const toChange = members as Member[];
    const result = { members: [], changed: toChange.length };
    return commitMembers(context, workspace, { action: 'member.remove', removed: true }, toChange, result, alongside);
  });
}

/**
 * Changes the use limits of a member.
 * @throws {GatewayError} 404 if there is no such member; 409 in an archived workspace, or if other changes keep
 *   interfering; 412 for another version
 */
export async function updateMember(
  context: ChangeContext,
  workspace: Workspace,
  selection: { memberId: string; expectedVersion?: number | undefined },
  change: UseLimitsChange,
): Promise<Member> {
  checkActive(workspace);
  const { table } = context;
  return retryOnConflict(async () => {
    const before = await findMember(table, workspace.id, selection.memberId);
    checkVersion(selection.expectedVersion, before.version);
    const limits = changedUseLimits(before, change);
    const audited = { before: useLimitsForAudit(before), after: useLimitsForAudit(limits) };
    if (JSON.stringify(audited.before) === JSON.stringify(audited.after)) return before;
    const after: Member = { ...before, ...limits, version: before.version + 1 };
    const target = `member ${workspace.id}/${after.id}`;
    const outcome = await commitChange(
      context,
      { action: 'member.update', target, ...audited },
      { member: memberPut(table, after) },
    );
    return outcome.committed ? after : undefined;
  });
}

function newMember(workspace: Workspace, id: string): Member {
  return {
    id,
    workspaceId: workspace.id,
    accountId: workspace.accountId,
    removed: false,
    limits: {},
    limitTimes: {},
    ...noUseLimits,
    revision: 0,
    version: 0,
    createdAt: new Date(nowMs()).toISOString(),
  };
}

/** Writes members and their counters in one transaction, because a hold must not succeed for a removed member. */
async function commitMembers(
  context: ChangeContext,
  workspace: Workspace,
  change: { action: string; removed: boolean },
  members: Member[],
  result: MembersChange,
  alongside: ExtraWrite<MembersChange>,
): Promise<MembersChange | undefined> {
  const { table } = context;
  const kept = alongside(result);
  if (members.length === 0 && !kept) return result;
  const writes: Writes = {};
  for (const member of members) {
    const scope = memberScope(member.workspaceId, member.id);
    const changed = { ...member, removed: change.removed, version: member.version + 1 };
    if (change.removed) await gatherGranted(table, scope);
    writes[`member ${member.id}`] = memberPut(table, changed);
    writes[`counter of ${member.id}`] =
      member.version === 0
        ? configureUpdate(table, scope, { limits: {}, revision: 0, active: true })
        : activeUpdate(table, scope, !change.removed);
  }
  const ids = members.map(({ id }) => id);
  const outcome = await commitChange(
    context,
    {
      action: change.action,
      target: `workspace ${workspace.id}`,
      before: { members: change.removed ? ids : [] },
      after: { members: change.removed ? [] : ids },
    },
    writes,
    kept,
  );
  return outcome.committed ? result : undefined;
}

function missing(memberId: string): Error {
  return notFound(`There is no member "${memberId.slice(0, 80)}" in this workspace.`, { field: 'member_id' });
}
