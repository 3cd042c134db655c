import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { privacyAttribute, privacyFrom, type Privacy } from './privacy.ts';
import { queryPartition, readItem } from './query.ts';
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
  /** Counts changes of the limits. */
  revision: number;
  privacy: Privacy;
  /** Counts every change of the configuration: the ETag. */
  version: number;
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
  /** Counts changes of the limits. */
  revision: number;
  /** Counts every change of the configuration: the ETag. */
  version: number;
  createdAt: string;
}

export function workspaceKey(accountId: string, workspaceId: string): { pk: string; sk: string } {
  return { pk: `ACCOUNT#${accountId}`, sk: `WORKSPACE#${workspaceId}` };
}

export function slugKey(accountId: string, slug: string): { pk: string; sk: string } {
  return { pk: `ACCOUNT#${accountId}`, sk: `SLUG#${slug}` };
}

/** Exists while a slug is taken: two workspaces created at once cannot both put it. */
export function slugItem(workspace: Pick<Workspace, 'accountId' | 'slug' | 'id'>): Item {
  return {
    ...slugKey(workspace.accountId, workspace.slug),
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
    privacy: privacyAttribute(workspace.privacy),
    version: workspace.version,
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
    privacy: privacyFrom(item['privacy']),
    version: numberFrom(item['version']),
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
    version: member.version,
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
    version: numberFrom(item['version']),
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

/** Members of a workspace in the order in which they came, removed ones included. */
export async function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  const members: Member[] = [];
  for await (const item of queryPartition(table, `WORKSPACE#${workspaceId}`, 'MEMBER#')) members.push(memberFrom(item));
  return members.sort((a, b) => (a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1));
}

/** A workspace by its id or slug: one read, or two. */
export async function readWorkspace(table: Table, accountId: string, idOrSlug: string): Promise<Workspace | undefined> {
  const byId = await readItem(table, workspaceKey(accountId, idOrSlug));
  if (byId) return workspaceFrom(byId);
  const claim = await readItem(table, slugKey(accountId, idOrSlug));
  const found = claim && (await readItem(table, workspaceKey(accountId, claim['workspace_id'] as string)));
  return found && workspaceFrom(found);
}

export async function readMember(table: Table, workspaceId: string, memberId: string): Promise<Member | undefined> {
  const item = await readItem(table, memberKey(workspaceId, memberId));
  return item && memberFrom(item);
}
