import { BoundedMap } from '../platform/bounded-map.ts';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import { forbidden } from '../platform/errors.ts';
import { ageMs, nowMs, thisMoment, type Moment } from '../platform/clock.ts';
import type { Credential } from '../route.ts';
import { accountFrom, accountKey, type Account } from '../store/accounts/accounts.ts';
import type { Scope } from '../store/counters/counters.ts';
import { keyFrom, keyItemKey, limitsOfKey, readKey, type ApiKey } from '../store/accounts/keys.ts';
import type { Privacy } from '../store/accounts/privacy.ts';
import { memberFrom, memberKey, type Member } from '../store/accounts/members.ts';
import { scopesOf, type Payer } from '../store/accounts/payer.ts';
import { readItems } from '../store/table/query.ts';
import type { Item, Table } from '../store/table/table.ts';
import { workspaceFrom, workspaceKey, type Workspace } from '../store/accounts/workspaces.ts';
import type { Key } from '../store/table/writes.ts';
import { sameHash, unknownKey } from './credentials.ts';

/** A key and the records that it belongs to, as read at most three seconds ago. */
export interface Caller {
  key: ApiKey;
  account: Account;
  /** Set for inference keys. */
  workspace: Workspace | undefined;
  member: Member | undefined;
}

/** The caller of an inference key: it has a workspace, and scopes that count its spending. */
export interface InferenceCaller extends Caller {
  workspace: Workspace;
  payer: Payer;
  scopes: Scope[];
}

/** A disabled key stops working everywhere within five seconds. The cache takes three of them. */
const DEFAULT_CACHE_MS = 3_000;
const MAX_CACHED = 10_000;

interface CacheEntry {
  readAt: Moment;
  caller: Promise<Caller | undefined>;
}

const cache = new BoundedMap<string, CacheEntry>(MAX_CACHED);

/**
 * Finds the caller of a key's hash.
 *
 * Cost: no read while the cached caller is fresh, and one read after that. Two reads for a key that this process has
 * not seen, because only its record names its owners. Requests that arrive together share one read (single flight).
 * @returns undefined if no key has this hash
 * @throws {GatewayError} 401 for a disabled, expired or deleted key, a removed member, an archived workspace or a
 *   closed account.
 */
export async function findCaller(table: Table, hash: string): Promise<Caller | undefined> {
  const caller = await cachedCaller(table, hash);
  if (caller && !isUsable(caller, hash)) throw unknownKey();
  return caller;
}

/** @throws {GatewayError} 403 if the route takes the other kind of key. */
export function checkCredential(caller: Caller, credential: Credential): void {
  if (credential === 'any' || credential === 'none' || caller.key.kind === credential) return;
  throw forbidden(
    credential === 'management'
      ? 'Only a management key (mk-mg-v1-…) can do this; this is an inference key.'
      : 'Only an inference key (sk-mg-v1-…) can do this; this is a management key.',
  );
}

export function asInferenceCaller(caller: Caller): InferenceCaller {
  const { key, account, workspace, member } = caller;
  if (!workspace) throw forbidden('Only an inference key (sk-mg-v1-…) can do this; this is a management key.');
  const payer = { accountId: account.id, workspaceId: workspace.id, memberId: member?.id, keyHash: key.hash };
  const limitedBy = { key: { ...key, limits: limitsOfKey(key) }, workspace, account, member };
  const scopes = scopesOf(payer).map((scope): Scope => {
    const { limits, revision } = limitedBy[scope.kind]!;
    return { ...scope, limits, revision };
  });
  return { ...caller, workspace, payer, scopes };
}

/** The privacy settings that apply to a caller. Each of them can exclude providers. */
export function privacyOf({ account, workspace, key }: Caller): Privacy[] {
  return [account.privacy, ...(workspace ? [workspace.privacy] : []), key.privacy];
}

async function cachedCaller(table: Table, hash: string): Promise<Caller | undefined> {
  const entry = cache.get(hash);
  const cacheMs = positiveIntegerVariable(variables.callerCacheMs, DEFAULT_CACHE_MS);
  if (entry && ageMs(entry.readAt) < cacheMs) return entry.caller;
  const previous = await entry?.caller.catch(() => undefined);
  // Another request may have started the read during the wait.
  const newer = cache.get(hash);
  if (newer && newer !== entry) return newer.caller;
  const caller = previous ? rereadCaller(table, previous) : readCaller(table, hash);
  cache.set(hash, { readAt: thisMoment(), caller });
  caller.catch(() => cache.delete(hash));
  return caller;
}

async function readCaller(table: Table, hash: string): Promise<Caller | undefined> {
  const key = await readKey(table, hash);
  if (!key) return undefined;
  const items = await readItems(table, ownersOf(key));
  return assemble(key, items);
}

async function rereadCaller(table: Table, previous: Caller): Promise<Caller | undefined> {
  const items = await readItems(table, [keyItemKey(previous.key.hash), ...ownersOf(previous.key)]);
  const keyData = items.find((item) => item['entity'] === 'key');
  return keyData && assemble(keyFrom(keyData), items);
}

function ownersOf(key: ApiKey): Key[] {
  const keys = [accountKey(key.accountId)];
  if (key.workspaceId) keys.push(workspaceKey(key.accountId, key.workspaceId));
  if (key.workspaceId && key.memberId) keys.push(memberKey(key.workspaceId, key.memberId));
  return keys;
}

function assemble(key: ApiKey, items: Item[]): Caller | undefined {
  const entity = (name: string) => items.find((item) => item['entity'] === name);
  const account = entity('account');
  const workspace = entity('workspace');
  const member = entity('member');
  if (!account || (key.workspaceId && !workspace) || (key.memberId && !member)) return undefined;
  return {
    key,
    account: accountFrom(account),
    workspace: workspace && workspaceFrom(workspace),
    member: member && memberFrom(member),
  };
}

function isUsable({ key, account, workspace, member }: Caller, hash: string): boolean {
  return (
    sameHash(key.hash, hash) &&
    !key.disabled &&
    !key.deleted &&
    (key.expiresAt === undefined || Date.parse(key.expiresAt) > nowMs()) &&
    account.status !== 'closed' &&
    workspace?.status !== 'archived' &&
    member?.removed !== true
  );
}
