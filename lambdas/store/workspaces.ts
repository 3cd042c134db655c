import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { queryPartition } from './query.ts';
import { numberFrom, type Item, type Table } from './table.ts';

export const workspaceStatuses = ['active', 'archived'] as const;
export type WorkspaceStatus = (typeof workspaceStatuses)[number];

export interface Workspace {
  id: string;
  accountId: string;
  name: string;
  slug: string;
  description: string;
  isDefault: boolean;
  status: WorkspaceStatus;
  limits: Limits;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** A person or service with access to one workspace; its budget and visibility are per workspace. */
export interface Member {
  id: string;
  workspaceId: string;
  accountId: string;
  removed: boolean;
  limits: Limits;
  revision: number;
  createdAt: string;
}

export function workspaceKey(accountId: string, workspaceId: string): { pk: string; sk: string } {
  return { pk: `ACCOUNT#${accountId}`, sk: `WORKSPACE#${workspaceId}` };
}

/** Exists while a slug is taken: two workspaces created at once cannot both put it. */
export function slugItem(workspace: Pick<Workspace, 'accountId' | 'slug' | 'id'>): Item {
  return {
    pk: `ACCOUNT#${workspace.accountId}`,
    sk: `SLUG#${workspace.slug}`,
    entity: 'workspace_slug',
    workspace_id: workspace.id,
  };
}

export function memberKey(workspaceId: string, memberId: string): { pk: string; sk: string } {
  return { pk: `WORKSPACE#${workspaceId}`, sk: `MEMBER#${memberId}` };
}

/** The counter scope of a member: its budget is per workspace. */
export function memberScopeId(workspaceId: string, memberId: string): string {
  return `${workspaceId}/${memberId}`;
}

export function workspaceItem(workspace: Workspace): Item {
  return {
    ...workspaceKey(workspace.accountId, workspace.id),
    entity: 'workspace',
    id: workspace.id,
    account_id: workspace.accountId,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    is_default: workspace.isDefault,
    status: workspace.status,
    limits: limitsAttribute(workspace.limits),
    revision: workspace.revision,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
  };
}

export function workspaceFrom(item: Item): Workspace {
  return {
    id: item['id'] as string,
    accountId: item['account_id'] as string,
    name: item['name'] as string,
    slug: item['slug'] as string,
    description: item['description'] as string,
    isDefault: item['is_default'] === true,
    status: item['status'] as WorkspaceStatus,
    limits: limitsFrom(item['limits']),
    revision: numberFrom(item['revision']),
    createdAt: item['created_at'] as string,
    updatedAt: item['updated_at'] as string,
  };
}

export function memberItem(member: Member): Item {
  return {
    ...memberKey(member.workspaceId, member.id),
    entity: 'member',
    id: member.id,
    workspace_id: member.workspaceId,
    account_id: member.accountId,
    removed: member.removed,
    limits: limitsAttribute(member.limits),
    revision: member.revision,
    created_at: member.createdAt,
  };
}

export function memberFrom(item: Item): Member {
  return {
    id: item['id'] as string,
    workspaceId: item['workspace_id'] as string,
    accountId: item['account_id'] as string,
    removed: item['removed'] === true,
    limits: limitsFrom(item['limits']),
    revision: numberFrom(item['revision']),
    createdAt: item['created_at'] as string,
  };
}

/** Workspaces of an account in the order of creation (their ids carry the time). */
export async function listWorkspaces(table: Table, accountId: string): Promise<Workspace[]> {
  const workspaces: Workspace[] = [];
  for await (const item of queryPartition(table, `ACCOUNT#${accountId}`, 'WORKSPACE#')) {
    workspaces.push(workspaceFrom(item));
  }
  return workspaces;
}

/** Members of a workspace by id. */
export async function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  const members: Member[] = [];
  for await (const item of queryPartition(table, `WORKSPACE#${workspaceId}`, 'MEMBER#')) members.push(memberFrom(item));
  return members;
}
