import type { Money } from '../../money/money.ts';
import { resets, type Interval, type Reset } from '../../money/periods.ts';
import { limitsField, type Limits } from '../counters/limits.ts';
import { privacyField } from './privacy.ts';
import { readItem } from '../table/query.ts';
import { count, flag, oneOf, optional, plain, record, text, type RecordOf } from '../table/record.ts';
import { sensitiveDataField } from './sensitive-data.ts';
import { useLimitFields } from './use-limits.ts';
import type { Item, Table } from '../table/table.ts';
import { putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

export const keyKinds = ['inference', 'management'] as const;
export type KeyKind = (typeof keyKinds)[number];

export const limitResets = resets;
export type LimitReset = Reset;

const storedKey = record({
  /** Hash of the key's first secret, which identifies the key also after the secret was replaced. */
  hash: text('hash'),
  /** Hash of the current secret. Absent if the secret was never replaced; it is then `hash`. */
  secretHash: optional(text('secret_hash')),
  /** Replaced secrets; absent if no secret was replaced. */
  oldSecrets: optional(plain<readonly OldSecret[]>('old_secrets')),
  kind: oneOf('kind', keyKinds),
  accountId: text('account_id'),
  workspaceId: optional(text('workspace_id')),
  memberId: optional(text('member_id')),
  name: text('name'),
  label: text('label'),
  /** Whether the key is disabled or stopped (`isStopped`). */
  disabled: flag('disabled'),
  /** Whether the key itself is disabled. Present only while the key is stopped because of its account. */
  ownDisabled: optional(flag('own_disabled')),
  deleted: flag('deleted'),
  limits: limitsField('limits'),
  /** Period after which the spending counts from zero again; undefined if the limit is for the key's lifetime. */
  limitReset: optional(oneOf('limit_reset', limitResets)),
  revision: count('revision'),
  privacy: privacyField,
  sensitiveData: sensitiveDataField,
  ...useLimitFields,
  /** Number of the key's version, which is also its ETag; 1 for a new key. */
  version: count('version'),
  expiresAt: optional(text('expires_at')),
  tags: optional(plain<KeyTags>('tags')),
  createdAt: text('created_at'),
  updatedAt: optional(text('updated_at')),
});

/** A replaced secret, and the ISO time until which it works. */
export interface OldSecret {
  hash: string;
  until: string;
}

/** Tags of a key by name, for example `{project: 'search'}`. */
export type KeyTags = Readonly<Record<string, string>>;

export type ApiKey = Omit<RecordOf<typeof storedKey>, 'limits' | 'ownDisabled'> & {
  limit: Money | undefined;
  /**
   * Whether the key is stopped because its account is suspended or closed. For the previous release, the stop must be
   * stored in `disabled`; this release reads the account's status instead.
   *
   * Weakness: if a command of the previous release changes a stopped key, the key stays disabled after the account is
   * resumed.
   */
  isStopped: boolean;
};

export const keyAttributes = storedKey.attributes;

export function keyItemKey(hash: string): Key {
  return { pk: `KEY#${hash}`, sk: 'KEY' };
}

export function limitInterval(key: Pick<ApiKey, 'limitReset'>): Interval {
  return key.limitReset ?? 'lifetime';
}

export function limitsOfKey(key: Pick<ApiKey, 'limit' | 'limitReset'>): Limits {
  return key.limit ? { [limitInterval(key)]: key.limit } : {};
}

export function keyItem(key: ApiKey): Item {
  const { isStopped, disabled: own } = key;
  const stored = {
    ...key,
    disabled: own || isStopped,
    ownDisabled: isStopped ? own : undefined,
    limits: limitsOfKey(key),
  };
  return { ...keyItemKey(key.hash), entity: 'key', ...storedKey.toItem(stored) };
}

export function keyFrom(item: Item): ApiKey {
  const { limits, ownDisabled, ...key } = storedKey.from(item);
  // The period under which the limit is stored has precedence over `limit_reset`.
  const limitReset = limitResets.find((period) => limits[period]) ?? key.limitReset;
  const limit = limits[limitInterval({ limitReset })];
  return { ...key, disabled: ownDisabled ?? key.disabled, isStopped: ownDisabled !== undefined, limitReset, limit };
}

export function keyPut(table: Table, key: ApiKey): Write {
  return putNew(table, keyItem(key));
}

/** Returns the write that replaces a key. It fails if the version has changed since the key was read. */
export function keyReplacement(table: Table, before: ApiKey, after: ApiKey): Write {
  return putOver(table, keyItem(after), before.version);
}

export async function readKey(table: Table, hash: string): Promise<ApiKey | undefined> {
  const item = await readItem(table, keyItemKey(hash));
  return item?.['entity'] === KEY_SECRET ? undefined : item && keyFrom(item);
}

const KEY_SECRET = 'key_secret';

/** Returns the key of a current or replaced secret. The caller checks whether a replaced secret still works. */
export async function readKeyOfSecret(table: Table, secretHash: string): Promise<ApiKey | undefined> {
  const item = await readItem(table, keyItemKey(secretHash));
  return item?.['entity'] === KEY_SECRET ? readKey(table, item['key_hash'] as string) : item && keyFrom(item);
}

export function currentSecretHash({ hash, secretHash = hash }: Pick<ApiKey, 'hash' | 'secretHash'>): string {
  return secretHash;
}

/** Stores the reference from a new secret to its key. */
export function secretPut(table: Table, { hash }: ApiKey, secretHash: string): Write {
  return putNew(table, { ...keyItemKey(secretHash), entity: KEY_SECRET, key_hash: hash });
}

export function secretRemoval(table: Table, secretHash: string): Write {
  return remove(table, keyItemKey(secretHash), { equal: { entity: KEY_SECRET } });
}
