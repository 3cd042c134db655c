import { limitsField, limitTimesField } from '../counters/limits.ts';
import { privacyField } from './privacy.ts';
import { useLimitFields } from './use-limits.ts';
import { queryPartition, readItem } from '../table/query.ts';
import { count, flag, oneOf, record, text, type RecordOf } from '../table/record.ts';
import type { Item, Table } from '../table/table.ts';
import { check, putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

export const workspaceStatuses = ['active', 'archived'] as const;

const workspaceRecord = record({
  id: text('id'),
  accountId: text('account_id'),
  name: text('name'),
  slug: text('slug'),
  description: text('description'),
  isDefault: flag('is_default'),
  status: oneOf('status', workspaceStatuses),
  limits: limitsField('limits'),
  limitTimes: limitTimesField,
  /** Number of times that the limits were changed. */
  revision: count('revision'),
  privacy: privacyField,
  ...useLimitFields,
  /** Number of the workspace's version, which is also its ETag; 1 for a new workspace. */
  version: count('version'),
  createdAt: text('created_at'),
  updatedAt: text('updated_at'),
});
export type Workspace = RecordOf<typeof workspaceRecord>;

export const workspaceFrom = workspaceRecord.from;
export const workspaceAttributes = workspaceRecord.attributes;

export function workspaceKey(accountId: string, workspaceId: string): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: `WORKSPACE#${workspaceId}` };
}

export function workspaceItem(workspace: Workspace): Item {
  const key = workspaceKey(workspace.accountId, workspace.id);
  return { ...key, entity: 'workspace', ...workspaceRecord.toItem(workspace) };
}

/** Returns the write that replaces a workspace. It fails if the version has changed since the workspace was read. */
export function workspaceReplacement(table: Table, before: Workspace, after: Workspace): Write {
  return putOver(table, workspaceItem(after), before.version);
}

export function workspaceRemoval(table: Table, { accountId, id, version }: Workspace): Write {
  return remove(table, workspaceKey(accountId, id), { equal: { version } });
}

/** Returns the check that fails a transaction unless the workspace exists and is active. */
export function mustBeActive(table: Table, accountId: string, workspaceId: string): Write {
  return check(table, workspaceKey(accountId, workspaceId), { equal: { status: 'active' } });
}

type SlugOwner = Pick<Workspace, 'accountId' | 'slug' | 'id'>;

function slugKey({ accountId, slug }: Pick<Workspace, 'accountId' | 'slug'>): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: `SLUG#${slug}` };
}

/** Returns the write that reserves a slug for a workspace. It fails if a workspace of the account has the slug. */
export function slugClaim(table: Table, workspace: SlugOwner): Write {
  return putNew(table, { ...slugKey(workspace), entity: 'workspace_slug', workspace_id: workspace.id });
}

export function slugOwner(claim: Item | undefined): string | undefined {
  return claim?.['workspace_id'] as string | undefined;
}

export function slugRelease(table: Table, workspace: SlugOwner): Write {
  return remove(table, slugKey(workspace));
}

/** Returns the workspaces of an account in the order of creation, in which their ids sort. */
export async function listWorkspaces(table: Table, accountId: string): Promise<Workspace[]> {
  const workspaces: Workspace[] = [];
  for await (const item of queryPartition(table, `ACCOUNT#${accountId}`, 'WORKSPACE#')) {
    workspaces.push(workspaceFrom(item));
  }
  return workspaces;
}

/** Returns a workspace by its id or slug. */
export async function readWorkspace(table: Table, accountId: string, idOrSlug: string): Promise<Workspace | undefined> {
  const byId = await readItem(table, workspaceKey(accountId, idOrSlug));
  if (byId) return workspaceFrom(byId);
  const workspaceId = slugOwner(await readItem(table, slugKey({ accountId, slug: idOrSlug })));
  const found = workspaceId === undefined ? undefined : await readItem(table, workspaceKey(accountId, workspaceId));
  return found && workspaceFrom(found);
}
