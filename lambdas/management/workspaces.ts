import { nowMs } from '../platform/clock.ts';
import { conflict, invalidRequest, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { activeUpdate, configureUpdate, counterRemoval, readCounter } from '../store/counters/counters.ts';
import { gatherGranted } from '../store/counters/limited-parts.ts';
import { inferenceKeysOf, tallyKey } from '../store/accounts/key-directory.ts';
import { limitsAttribute } from '../store/counters/limits.ts';
import { noPrivacyLimits, privacyAttribute, type Privacy, type PrivacyChange } from '../store/accounts/privacy.ts';
import { noUseLimits, type UseLimits } from '../store/accounts/use-limits.ts';
import { readItem } from '../store/table/query.ts';
import { listMembers, memberRemoval } from '../store/accounts/members.ts';
import type { Item, Table } from '../store/table/table.ts';
import {
  listWorkspaces,
  readWorkspace,
  slugClaim,
  slugOwner,
  slugRelease,
  workspaceItem,
  workspaceRemoval,
  workspaceReplacement,
  type Workspace,
} from '../store/accounts/workspaces.ts';
import { mustNotExist, putNew, type Key } from '../store/table/writes.ts';
import {
  checkVersion,
  commitChange,
  noExtraWrite,
  retryOnConflict,
  type ExtraWrite,
  type ChangeContext,
} from './change.ts';
import { changedPrivacy } from './privacy.ts';
import { changedUseLimits, useLimitsForAudit, type UseLimitsChange } from './use-limits.ts';

/** Maximum number of workspaces of an account. It bounds the cost of reading the list. */
const MAX_WORKSPACES = 1_000;
/**
 * Maximum number of members with which a workspace is deleted, in one transaction of at most 100 writes. With more
 * members, the workspace is archived.
 */
const MAX_MEMBERS_TO_REMOVE = 80;

export interface NewWorkspace extends UseLimitsChange {
  name: string;
  slug: string;
  description?: string | null | undefined;
  privacy?: PrivacyChange | null | undefined;
}

export interface WorkspaceChange extends UseLimitsChange {
  name?: string | undefined;
  slug?: string | undefined;
  description?: string | null | undefined;
  privacy?: PrivacyChange | null | undefined;
}

export function newWorkspace(
  input: Pick<NewWorkspace, 'name' | 'slug' | 'description'> & {
    accountId: string;
    isDefault: boolean;
    privacy: Privacy;
    useLimits?: UseLimits;
  },
): Workspace {
  const now = new Date(nowMs()).toISOString();
  return {
    id: uuidv7(),
    accountId: input.accountId,
    name: input.name,
    slug: input.slug,
    description: input.description ?? '',
    isDefault: input.isDefault,
    status: 'active',
    limits: {},
    limitTimes: {},
    revision: 0,
    privacy: input.privacy,
    ...(input.useLimits ?? noUseLimits),
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns the writes of a new workspace: its claim on the slug, its record, its counter. */
export function workspaceWrites(table: Table, workspace: Workspace) {
  const scope = { kind: 'workspace', id: workspace.id } as const;
  return {
    slug: slugClaim(table, workspace),
    workspace: putNew(table, workspaceItem(workspace)),
    workspaceCounter: configureUpdate(table, scope, { limits: {}, revision: 0, active: true }),
  };
}

/**
 * Creates a workspace.
 * @throws {GatewayError} 400 for an unknown provider; 409 if a workspace of the account has the slug, also if it is
 *   created concurrently, or if the account has too many workspaces; `AlreadyAnsweredError` as `commitChange` does
 */
export async function createWorkspace(
  context: ChangeContext,
  input: NewWorkspace,
  alongside: ExtraWrite<Workspace> = noExtraWrite,
): Promise<Workspace> {
  const { table, accountId } = context;
  if ((await listWorkspaces(table, accountId)).length >= MAX_WORKSPACES) {
    throw conflict(`An account has at most ${MAX_WORKSPACES} workspaces.`);
  }
  const privacy = await changedPrivacy(context, noPrivacyLimits, input.privacy ?? {});
  const workspace = newWorkspace({
    ...input,
    accountId,
    isDefault: false,
    privacy,
    useLimits: changedUseLimits(noUseLimits, input),
  });
  const outcome = await commitChange(
    context,
    { action: 'workspace.create', target: `workspace ${workspace.id}`, after: workspaceForAudit(workspace) },
    workspaceWrites(table, workspace),
    alongside(workspace),
  );
  // If this workspace already has the slug, an earlier attempt created it, and only the reply was lost.
  const isOurs = !outcome.committed && slugOwner(outcome.failed.slug?.item) === workspace.id;
  if (!outcome.committed && !isOurs) throw slugTaken(input.slug);
  return workspace;
}

/**
 * Reads a workspace of the account by id or slug.
 * @throws {GatewayError} 404 if the account has no such workspace
 */
export async function findWorkspace(table: Table, accountId: string, idOrSlug: string): Promise<Workspace> {
  const found = await readWorkspace(table, accountId, idOrSlug);
  if (!found) throw notFound(`There is no workspace "${idOrSlug.slice(0, 80)}".`, { field: 'workspace_id' });
  return found;
}

/**
 * Checks that a workspace is not archived. Archived workspaces are kept unchanged for the books.
 * @throws {GatewayError} 409 if the workspace is archived
 */
export function checkActive(workspace: Workspace): void {
  if (workspace.status !== 'active') throw conflict('This workspace is archived: you can read it, but not change it.');
}

/**
 * Merges a change into a workspace.
 * @throws {GatewayError} 400 for an unknown provider; 404 if the workspace does not exist; 409 if the workspace is
 *   archived, another workspace has the slug, or other changes keep interfering; 412 if the version differs from
 *   `expectedVersion`
 */
export async function updateWorkspace(
  context: ChangeContext,
  selection: { idOrSlug: string; expectedVersion?: number | undefined },
  change: WorkspaceChange,
): Promise<Workspace> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const before = await findWorkspace(table, accountId, selection.idOrSlug);
    checkActive(before);
    checkVersion(selection.expectedVersion, before.version);
    const merged: Workspace = {
      ...before,
      name: change.name ?? before.name,
      slug: change.slug ?? before.slug,
      description: change.description === undefined ? before.description : (change.description ?? ''),
      privacy: await changedPrivacy(context, before.privacy, change.privacy),
      ...changedUseLimits(before, change),
    };
    if (JSON.stringify(workspaceItem(merged)) === JSON.stringify(workspaceItem(before))) return before;
    const after: Workspace = { ...merged, version: before.version + 1, updatedAt: new Date(nowMs()).toISOString() };
    const outcome = await commitChange(
      context,
      {
        action: 'workspace.update',
        target: `workspace ${after.id}`,
        before: workspaceForAudit(before),
        after: workspaceForAudit(after),
      },
      { workspace: workspaceReplacement(table, before, after), ...slugMove(table, before, after) },
    );
    if (outcome.committed) return after;
    if (outcome.failed.slug) throw slugTaken(after.slug);
    return undefined;
  });
}

/**
 * Removes a workspace from use. With history (keys or spending), or with too many members, it is archived: its keys
 * stop working, and it stays readable. Otherwise it is deleted.
 * @throws {GatewayError} 400 for the Default workspace; 404 if the workspace does not exist or is archived; 409 if
 *   other changes keep interfering; 412 if the version differs from `expectedVersion`
 */
export async function deleteWorkspace(
  context: ChangeContext,
  selection: { idOrSlug: string; expectedVersion?: number | undefined },
): Promise<{ archived: boolean }> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const workspace = await findWorkspace(table, accountId, selection.idOrSlug);
    checkVersion(selection.expectedVersion, workspace.version);
    if (workspace.isDefault) {
      throw invalidRequest('workspace_id', 'the Default workspace of an account cannot be deleted');
    }
    if (workspace.status === 'archived')
      throw notFound('This workspace was deleted before. Its record stays for the books.');
    return (await hasHistory(table, workspace)) ? archive(context, workspace) : removeWorkspace(context, workspace);
  });
}

async function hasHistory(table: Table, workspace: Workspace): Promise<boolean> {
  const [tally, counter] = await Promise.all([
    readItem(table, keysTally(workspace)),
    readCounter(table, { kind: 'workspace', id: workspace.id }),
  ]);
  return tally !== undefined || !counter.committed('lifetime').isZero;
}

/**
 * Returns the key of the item that counts a workspace's keys. It exists from the first key on, even if that key was
 * deleted.
 */
function keysTally(workspace: Workspace): Key {
  return tallyKey(inferenceKeysOf({ workspaceId: workspace.id, includeDisabled: true }));
}

async function archive(context: ChangeContext, before: Workspace): Promise<{ archived: boolean } | undefined> {
  const { table } = context;
  const after: Workspace = {
    ...before,
    status: 'archived',
    version: before.version + 1,
    updatedAt: new Date(nowMs()).toISOString(),
  };
  await gatherGranted(table, { kind: 'workspace', id: before.id });
  const outcome = await commitChange(
    context,
    {
      action: 'workspace.archive',
      target: `workspace ${before.id}`,
      before: workspaceForAudit(before),
      after: workspaceForAudit(after),
    },
    {
      workspace: workspaceReplacement(table, before, after),
      counter: activeUpdate(table, { kind: 'workspace', id: before.id }, false),
    },
  );
  return outcome.committed ? { archived: true } : undefined;
}

/** Deletes a workspace and its members in one transaction, or archives it if they do not fit. */
async function removeWorkspace(
  context: ChangeContext,
  workspace: Workspace,
): Promise<{ archived: boolean } | undefined> {
  const { table } = context;
  const members = await listMembers(table, workspace.id);
  if (members.length > MAX_MEMBERS_TO_REMOVE) return archive(context, workspace);
  const outcome = await commitChange(
    context,
    { action: 'workspace.delete', target: `workspace ${workspace.id}`, before: workspaceForAudit(workspace) },
    {
      workspace: workspaceRemoval(table, workspace),
      // The condition fails if a key was created concurrently.
      keys: mustNotExist(table, keysTally(workspace)),
      slug: slugRelease(table, workspace),
      counter: counterRemoval(table, { kind: 'workspace', id: workspace.id }),
      ...Object.fromEntries(members.map((member) => [`member ${member.id}`, memberRemoval(table, member)])),
    },
  );
  return outcome.committed ? { archived: false } : undefined;
}

function slugMove(table: Table, before: Workspace, after: Workspace) {
  if (before.slug === after.slug) return {};
  return { slug: slugClaim(table, after), oldSlug: slugRelease(table, before) };
}

function slugTaken(slug: string): Error {
  return conflict(`Another workspace of this account has the slug "${slug}" (it may be archived). Use another slug.`, {
    field: 'slug',
  });
}

function workspaceForAudit(workspace: Workspace): Item {
  return {
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    status: workspace.status,
    limits: limitsAttribute(workspace.limits),
    privacy: privacyAttribute(workspace.privacy),
    ...useLimitsForAudit(workspace),
    version: workspace.version,
  };
}
