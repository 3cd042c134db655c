import { GatewayError, notFound } from '../platform/errors.ts';
import { nowMs } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import { activeUpdate, configureUpdate } from '../store/counters.ts';
import type { Table } from '../store/table.ts';
import { transact, type TransactItems } from '../store/transact.ts';
import {
  listWorkspaces,
  memberItem,
  memberKey,
  memberScopeId,
  slugItem,
  workspaceItem,
  type Member,
  type Workspace,
} from '../store/workspaces.ts';

export interface NewWorkspace {
  accountId: string;
  name: string;
  slug: string;
  description: string;
  isDefault: boolean;
  createdAt: string;
}

export function newWorkspace(input: NewWorkspace): Workspace {
  return { ...input, id: uuidv7(), status: 'active', limits: {}, revision: 0, updatedAt: input.createdAt };
}

/** Everything that comes into being with a workspace: its record, its claim on the slug, its counter. */
export function workspacePuts(table: Table, workspace: Workspace): TransactItems {
  const ifNew = 'attribute_not_exists(pk)';
  const scope = { kind: 'workspace', id: workspace.id } as const;
  return [
    { Put: { TableName: table.name, Item: slugItem(workspace), ConditionExpression: ifNew } },
    { Put: { TableName: table.name, Item: workspaceItem(workspace), ConditionExpression: ifNew } },
    { Update: configureUpdate(table, scope, { limits: {}, revision: 0, active: true }) },
  ];
}

/** @throws {GatewayError} 409 when the slug is taken in the account, also by a workspace created at the same time. */
export async function createWorkspace(
  table: Table,
  input: { accountId: string; name: string; slug: string; description: string },
): Promise<Workspace> {
  const workspace = newWorkspace({ ...input, isDefault: false, createdAt: new Date(nowMs()).toISOString() });
  const outcome = await transact(table, workspacePuts(table, workspace));
  if (!outcome.committed) {
    throw new GatewayError(409, 'conflict', `The slug "${input.slug}" is taken by another workspace of this account.`, {
      metadata: { field: 'slug' },
    });
  }
  return workspace;
}

/** A workspace of an account by id or slug. @throws {GatewayError} 404 */
export async function findWorkspace(table: Table, accountId: string, idOrSlug: string): Promise<Workspace> {
  const workspaces = await listWorkspaces(table, accountId);
  const found = workspaces.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug);
  if (!found) throw notFound(`There is no workspace "${idOrSlug}".`);
  return found;
}

/** Gives a person or service access to a workspace; one that was removed comes back with its counters. */
export async function addMember(
  table: Table,
  input: { accountId: string; workspaceId: string; memberId: string },
): Promise<Member> {
  const member: Member = {
    id: input.memberId,
    workspaceId: input.workspaceId,
    accountId: input.accountId,
    removed: false,
    limits: {},
    revision: 0,
    createdAt: new Date(nowMs()).toISOString(),
  };
  const outcome = await transact(table, [
    { Put: { TableName: table.name, Item: memberItem(member), ConditionExpression: 'attribute_not_exists(pk)' } },
    { Update: configureUpdate(table, memberScope(member), { limits: {}, revision: 0, active: true }) },
  ]);
  if (!outcome.committed) await setRemoved(table, member, false);
  return member;
}

/** Keys of a removed member stop working. @throws {GatewayError} 404 */
export async function removeMember(table: Table, member: { workspaceId: string; id: string }): Promise<void> {
  await setRemoved(table, member, true);
}

/** The member and its counter change together: a hold must not pass through a member that is already gone. */
async function setRemoved(table: Table, member: { workspaceId: string; id: string }, removed: boolean): Promise<void> {
  const outcome = await transact(table, [
    {
      Update: {
        TableName: table.name,
        Key: memberKey(member.workspaceId, member.id),
        UpdateExpression: 'SET removed = :removed',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':removed': removed },
      },
    },
    { Update: activeUpdate(table, memberScope(member), !removed) },
  ]);
  if (!outcome.committed) throw notFound(`There is no member "${member.id}" in this workspace.`);
}

function memberScope(member: { workspaceId: string; id: string }) {
  return { kind: 'member', id: memberScopeId(member.workspaceId, member.id) } as const;
}
