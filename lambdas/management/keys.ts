import { hashSecret, maskSecret, newKeySecret } from '../admission/credentials.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict, invalidRequest, notFound } from '../platform/errors.ts';
import { limitWrites } from '../store/counters/counter-parts.ts';
import { activeUpdate, configureUpdate } from '../store/counters/counters.ts';
import { gatherGranted } from '../store/counters/limited-parts.ts';
import { accountStatusCheck, isActive, type Account } from '../store/accounts/accounts.ts';
import { enterKey, moveKey } from '../store/accounts/key-directory.ts';
import {
  keyItem,
  keyPut,
  keyReplacement,
  limitsOfKey,
  readKey,
  type ApiKey,
  type KeyKind,
} from '../store/accounts/keys.ts';
import { mustHaveAccess } from '../store/accounts/members.ts';
import type { Item, Table } from '../store/table/table.ts';
import { mustBeActive } from '../store/accounts/workspaces.ts';
import { requireAccount } from './accounts.ts';
import {
  checkAlertsOf,
  checkVersion,
  commitChange,
  noExtraWrite,
  retryOnConflict,
  type ExtraWrite,
  type ChangeContext,
} from './change.ts';
import { changedSettings, defaultSettings, settingsForAudit, type KeySettings } from './key-settings.ts';

export interface NewKey extends KeySettings {
  kind: KeyKind;
  workspaceId?: string | undefined;
  memberId?: string | undefined;
  name: string;
}

export interface KeyChange extends KeySettings {
  name?: string | undefined;
  disabled?: boolean | undefined;
}

export interface CreatedKey {
  key: ApiKey;
  secret: string;
}

/**
 * Creates a key. Only this result, which `alongside` also gets, contains the secret.
 * @throws {GatewayError} 400 for an unknown provider; 404 if the account, the workspace or the member does not exist,
 *   or the member was removed; 409 in an archived workspace, or if other changes keep interfering;
 *   `AlreadyAnsweredError` as `commitChange` does
 */
export async function createKey(
  context: ChangeContext,
  pepper: string,
  input: NewKey,
  alongside: ExtraWrite<CreatedKey> = noExtraWrite,
): Promise<CreatedKey> {
  const { table, accountId } = context;
  const secret = newKeySecret(input.kind);
  const template: ApiKey = {
    hash: hashSecret(pepper, secret),
    secretHash: undefined,
    oldSecrets: undefined,
    kind: input.kind,
    accountId,
    workspaceId: input.workspaceId,
    memberId: input.memberId,
    name: input.name,
    label: maskSecret(secret),
    disabled: false,
    isStopped: false,
    deleted: false,
    revision: 0,
    ...(await changedSettings(context, defaultSettings, input)),
    version: 1,
    createdAt: '',
    updatedAt: undefined,
  };
  let notBefore = 0;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    // Lists sort keys by creation time. The previous attempt may have failed because another key was created at the
    // same time, so this attempt uses a later time.
    const key = {
      ...template,
      isStopped: !isActive(account),
      createdAt: new Date(Math.max(nowMs(), notBefore)).toISOString(),
    };
    const created = { key, secret };
    const change = { action: 'key.create', target: `key ${key.hash}`, after: keyForAudit(key) };
    const outcome = await commitChange(context, change, newKeyWrites(table, key, account), alongside(created));
    if (outcome.committed) return created;
    const { failed } = outcome;
    // Hashes are made from random secrets, so this request wrote the existing key in an attempt whose reply was lost.
    const written = failed.key && (await readKey(table, key.hash));
    if (written) return { key: written, secret };
    if (failed.workspace) throw missingWorkspace(failed.workspace.item);
    if (failed.member)
      throw notFound(`There is no member "${key.memberId}" in this workspace.`, { field: 'member_id' });
    notBefore = Date.parse(key.createdAt) + 1;
    return undefined;
  });
}

/** Returns the writes of a new key, with the checks of its owners. */
function newKeyWrites(table: Table, key: ApiKey, account: Account) {
  const { workspaceId, memberId } = key;
  const hasMember = workspaceId !== undefined && memberId !== undefined;
  const limits = { limits: limitsOfKey(key), revision: 0, active: true };
  return {
    ...enterKey(table, key),
    key: keyPut(table, key),
    counter: configureUpdate(table, { kind: 'key', id: key.hash }, limits),
    account: accountStatusCheck(table, account),
    workspace: workspaceId === undefined ? undefined : mustBeActive(table, account.id, workspaceId),
    member: hasMember ? mustHaveAccess(table, workspaceId, memberId) : undefined,
  };
}

function missingWorkspace(item: Item | undefined): Error {
  if (!item) return notFound('There is no workspace with this id.', { field: 'workspace_id' });
  return conflict('This workspace is archived, so it accepts no new keys. Use another workspace.', {
    field: 'workspace_id',
  });
}

/**
 * Reads a key of the account, optionally of one kind.
 * @throws {GatewayError} 404 if the key does not exist, was deleted, belongs to another account, or is of another kind
 */
export async function findKey(table: Table, accountId: string, hash: string, kind?: KeyKind): Promise<ApiKey> {
  const key = await readKey(table, hash);
  checkOwned(key, accountId, { hash, kind });
  return key;
}

function checkOwned(
  key: ApiKey | undefined,
  accountId: string,
  { hash, kind }: { hash: string; kind?: KeyKind | undefined },
): asserts key is ApiKey {
  if (key?.accountId === accountId && !key.deleted && (!kind || key.kind === kind)) return;
  throw notFound(`There is no key "${hash.slice(0, 80)}".`, { field: 'hash' });
}

/**
 * Merges a change into a key; counted amounts stay. The key's next hold uses the new limits, or fails if the key is
 * disabled.
 * @param selection.expectedVersion version that the client has read
 * @throws {GatewayError} 400 for settings that the key cannot have; 404 if the key does not exist; 409 if other changes
 *   keep interfering; 412 if it has another version
 */
export async function updateKey(
  context: ChangeContext,
  selection: { hash: string; kind?: KeyKind; expectedVersion?: number | undefined },
  change: KeyChange,
): Promise<ApiKey> {
  return retryOnConflict(async () => {
    const before = await findKey(context.table, context.accountId, selection.hash, selection.kind);
    checkVersion(selection.expectedVersion, before.version);
    const merged = await mergeKey(context, before, change);
    if (JSON.stringify(keyItem(merged)) === JSON.stringify(keyItem(before))) return before;
    return writeKey(context, 'key.update', before, merged);
  });
}

/**
 * Deletes a key; its history stays.
 * @throws {GatewayError} 404 if the key does not exist; 409 if other changes keep interfering; 412 if it has another
 *   version
 */
export async function deleteKey(
  context: ChangeContext,
  selection: { hash: string; kind?: KeyKind; expectedVersion?: number | undefined },
): Promise<void> {
  let isRepeated = false;
  await retryOnConflict(async () => {
    const before = await readKey(context.table, selection.hash);
    // Another request deleted the key between two rounds, or this request deleted it and the reply was lost.
    if (isRepeated && before?.deleted) return true;
    isRepeated = true;
    checkOwned(before, context.accountId, selection);
    checkVersion(selection.expectedVersion, before.version);
    return writeKey(context, 'key.delete', before, { ...before, deleted: true });
  });
}

async function mergeKey(context: ChangeContext, key: ApiKey, change: KeyChange): Promise<ApiKey> {
  const merged: ApiKey = {
    ...key,
    name: change.name ?? key.name,
    disabled: change.disabled ?? key.disabled,
    ...(await changedSettings(context, key, change)),
  };
  if (merged.kind === 'management' && merged.limit) {
    throw invalidRequest('limit', 'a management key spends nothing, so it cannot have a limit; leave it out');
  }
  if (merged.kind === 'management') checkUsesNoModels(merged);
  return merged;
}

function checkUsesNoModels({ allowedModels, rpmLimit, tpmLimit, parallelLimit, requiredTags }: ApiKey): void {
  if ([allowedModels, rpmLimit, tpmLimit, parallelLimit, requiredTags].every((limit) => limit === undefined)) return;
  throw invalidRequest('key', 'a management key calls no models, so of the use limits it can only have networks');
}

/**
 * Writes a changed key, its counter and its place in lists. Returns undefined if another request changed the key first.
 */
async function writeKey(
  context: ChangeContext,
  action: string,
  before: ApiKey,
  merged: ApiKey,
): Promise<ApiKey | undefined> {
  const { table } = context;
  const limitsChanged = JSON.stringify(limitsOfKey(before)) !== JSON.stringify(limitsOfKey(merged));
  const after: ApiKey = {
    ...merged,
    revision: before.revision + (limitsChanged ? 1 : 0),
    version: before.version + 1,
    updatedAt: new Date(nowMs()).toISOString(),
  };
  const scope = { kind: 'key', id: after.hash } as const;
  const works = !after.disabled && !after.deleted;
  if (!works) await gatherGranted(table, scope);
  const outcome = await commitChange(
    context,
    { action, target: `key ${after.hash}`, before: keyForAudit(before), after: keyForAudit(after) },
    {
      key: keyReplacement(table, before, after),
      ...(limitsChanged
        ? await limitWrites(table, scope, { limits: limitsOfKey(after), revision: after.revision, active: works })
        : { counter: activeUpdate(table, scope, works) }),
      ...moveKey(table, before, after),
    },
  );
  if (!outcome.committed) return undefined;
  if (limitsChanged) await checkAlertsOf(context, 'key', { workspaceId: after.workspaceId!, keyHash: after.hash });
  return after;
}

/** Returns the configuration of a key for the audit log, without its secrets. */
export function keyForAudit(key: ApiKey): Item {
  return {
    name: key.name,
    label: key.label,
    kind: key.kind,
    workspace_id: key.workspaceId,
    member_id: key.memberId,
    disabled: key.disabled,
    deleted: key.deleted,
    ...settingsForAudit(key),
  };
}
