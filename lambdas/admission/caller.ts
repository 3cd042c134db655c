import { BoundedMap } from '../platform/bounded-map.ts';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import { forbidden } from '../platform/errors.ts';
import { ageMs, earlierOf, nowMs, thisMoment, type Moment } from '../platform/clock.ts';
import type { Credential } from '../route.ts';
import type { TagBudgets } from '../store/accounts/account-tags.ts';
import { accountFrom, accountKey, type Account } from '../store/accounts/accounts.ts';
import type { OwnerKind, Scope } from '../store/counters/counters.ts';
import {
  currentSecretHash,
  keyFrom,
  keyItemKey,
  limitsOfKey,
  readKeyOfSecret,
  type ApiKey,
} from '../store/accounts/keys.ts';
import type { Privacy } from '../store/accounts/privacy.ts';
import { memberFrom, memberKey, type Member } from '../store/accounts/members.ts';
import { scopesOf, type Payer } from '../store/accounts/payer.ts';
import { readItems } from '../store/table/query.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import type { Item, Table } from '../store/table/table.ts';
import { workspaceFrom, workspaceKey, type Workspace } from '../store/accounts/workspaces.ts';
import type { Key } from '../store/table/writes.ts';
import { sameHash, unknownKey } from './credentials.ts';
import { readWithTagBudgets } from './kept-tag-budgets.ts';
import { minuteKeys, noteCounts } from './rates/rate-counts.ts';
import { rateLimitsOf, type RateLimits } from './rates/rate-limits.ts';

/** A key with its owners. Normally read at most three seconds before the request. */
export interface Caller {
  key: ApiKey;
  account: Account;
  /** Workspace of an inference key; undefined for management keys. */
  workspace: Workspace | undefined;
  member: Member | undefined;
  tagBudgets: readonly TagBudgets[];
}

export interface InferenceCaller extends Caller {
  workspace: Workspace;
  payer: Payer;
  scopes: Scope[];
  tags?: RequestTags | undefined;
}

/** Time in ms that a caller is cached. A disabled key must stop working everywhere within five seconds. */
const DEFAULT_CACHE_MS = 3_000;
const MAX_CACHED = 10_000;

interface CacheEntry {
  readAt: Moment;
  caller: Promise<Caller | undefined>;
}

const cache = new BoundedMap<string, CacheEntry>(MAX_CACHED);

/**
 * Finds the caller of a key by the hash of the key's secret.
 *
 * Cost: no read while the cached caller is fresh, and one read after that. A key that is new to this process costs two
 * reads, because only its record names its account, workspace and member. If the sent secret replaced an earlier
 * secret, the key costs three reads.
 * @returns undefined if no key has this hash, or the key's account, workspace or member does not exist
 * @throws {GatewayError} 401 for a disabled, expired or deleted key, a replaced secret, a removed member, an archived
 *   workspace or a closed account
 */
export async function findCaller(table: Table, hash: string): Promise<Caller | undefined> {
  const caller = await cachedCaller(table, hash);
  if (caller && !isUsable(caller, hash)) throw unknownKey();
  return caller;
}

/**
 * Checks that the route accepts this kind of key.
 * @throws {GatewayError} 403 otherwise
 */
export function checkCredential(caller: Caller, credential: Credential): void {
  if (credential === 'any' || credential === 'none' || caller.key.kind === credential) return;
  throw forbidden(
    credential === 'management'
      ? 'This route needs a management key (mk-mg-v1-…), and an inference key was sent.'
      : 'This route needs an inference key (sk-mg-v1-…), and a management key was sent.',
  );
}

export function asInferenceCaller(caller: Caller): InferenceCaller {
  const { key, account, workspace, member } = caller;
  if (!workspace) throw forbidden('This route needs an inference key (sk-mg-v1-…), and a management key was sent.');
  const payer = { accountId: account.id, workspaceId: workspace.id, memberId: member?.id, keyHash: key.hash };
  const limitedBy = { key: { ...key, limits: limitsOfKey(key) }, workspace, account, member };
  const scopes = scopesOf(payer).map((scope): Scope => {
    const { limits, revision } = limitedBy[scope.kind as OwnerKind]!;
    return { ...scope, limits, revision };
  });
  return { ...caller, workspace, payer, scopes };
}

/** Returns all privacy settings that apply to a caller. */
export function privacyOf({ account, workspace, key }: Caller): Privacy[] {
  return [account.privacy, ...(workspace ? [workspace.privacy] : []), key.privacy];
}

async function cachedCaller(table: Table, hash: string): Promise<Caller | undefined> {
  const entry = cache.get(hash);
  const cacheMs = positiveIntegerVariable(variables.callerCacheMs, DEFAULT_CACHE_MS);
  if (entry && ageMs(entry.readAt) < cacheMs) return entry.caller;
  const previous = await entry?.caller.catch(() => undefined);
  // Uses the entry of another request that started to read the caller during the wait.
  const newer = cache.get(hash);
  if (newer && newer !== entry) return newer.caller;
  const reading = previous ? rereadCaller(table, previous, cacheMs) : readCaller(table, hash, cacheMs);
  const caller = reading.then((read) => {
    // The tag budgets may have been read before the caller. The entry then expires with the budgets.
    if (read) fresh.readAt = earlierOf(fresh.readAt, read.readAt);
    return read?.caller;
  });
  const fresh: CacheEntry = { readAt: thisMoment(), caller };
  cache.set(hash, fresh);
  caller.catch(() => cache.delete(hash));
  return caller;
}

interface ReadCaller {
  caller: Caller | undefined;
  readAt: Moment;
}

async function readCaller(table: Table, hash: string, cacheMs: number): Promise<ReadCaller | undefined> {
  const key = await readKeyOfSecret(table, hash);
  if (!key) return undefined;
  const limits = rateLimitsOf({ key, workspace: undefined, member: undefined });
  const { items, ...read } = await readOwners(table, key, { keys: [], limits, cacheMs });
  return { ...read, caller: assemble(key, items, read.tagBudgets) };
}

async function rereadCaller(table: Table, previous: Caller, cacheMs: number): Promise<ReadCaller | undefined> {
  const { key } = previous;
  const more = { keys: [keyItemKey(key.hash)], limits: rateLimitsOf(previous), cacheMs };
  const { items, ...read } = await readOwners(table, key, more);
  const keyData = items.find((item) => item['entity'] === 'key');
  return { ...read, caller: keyData && assemble(keyFrom(keyData), items, read.tagBudgets) };
}

async function readOwners(
  table: Table,
  key: ApiKey,
  { keys, limits, cacheMs }: { keys: Key[]; limits: RateLimits | undefined; cacheMs: number },
): ReturnType<typeof readWithTagBudgets> {
  const read = (more: Key[]) => readWithCounts(table, [...keys, ...ownersOf(key), ...more], key.hash, limits);
  if (key.kind === 'inference') return readWithTagBudgets(key.accountId, cacheMs, read);
  return { readAt: thisMoment(), items: await read([]), tagBudgets: [] };
}

async function readWithCounts(
  table: Table,
  keys: Key[],
  keyHash: string,
  limits: RateLimits | undefined,
): Promise<Item[]> {
  if (!limits) return readItems(table, keys);
  const atMs = nowMs();
  const items = await readItems(table, [...keys, ...minuteKeys(keyHash, limits, atMs)]);
  noteCounts(
    keyHash,
    atMs,
    items.filter((item) => item['entity'] === 'key_minute'),
  );
  return items;
}

function ownersOf(key: ApiKey): Key[] {
  const keys = [accountKey(key.accountId)];
  if (key.workspaceId) keys.push(workspaceKey(key.accountId, key.workspaceId));
  if (key.workspaceId && key.memberId) keys.push(memberKey(key.workspaceId, key.memberId));
  return keys;
}

function assemble(key: ApiKey, items: Item[], tagBudgets: readonly TagBudgets[]): Caller | undefined {
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
    tagBudgets,
  };
}

function isUsable({ key, account, workspace, member }: Caller, hash: string): boolean {
  return (
    isSecretOf(key, hash) &&
    !key.disabled &&
    !key.deleted &&
    (key.expiresAt === undefined || Date.parse(key.expiresAt) > nowMs()) &&
    account.status !== 'closed' &&
    workspace?.status !== 'archived' &&
    member?.removed !== true
  );
}

function isSecretOf(key: ApiKey, hash: string): boolean {
  if (sameHash(currentSecretHash(key), hash)) return true;
  return key.oldSecrets?.some((old) => sameHash(old.hash, hash) && Date.parse(old.until) > nowMs()) ?? false;
}
