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

/** Periods after which a key's limit resets. */
export const limitResets = resets;
export type LimitReset = Reset;

const storedKey = record({
  /** Hash of the key's first secret. It identifies the key forever, also after the secret was replaced. */
  hash: text('hash'),
  /** Hash of the current secret. Absent if the secret was never replaced; it is then `hash`. */
  secretHash: optional(text('secret_hash')),
  /** Replaced secrets, each with the end of its validity. Absent if there are none. */
  oldSecrets: optional(plain<readonly OldSecret[]>('old_secrets')),
  kind: oneOf('kind', keyKinds),
  accountId: text('account_id'),
  /** Set only for inference keys. */
  workspaceId: optional(text('workspace_id')),
  memberId: optional(text('member_id')),
  name: text('name'),
  label: text('label'),
  /** Whether the key is disabled, or stopped because its account is suspended or closed. */
  disabled: flag('disabled'),
  /** Whether the key itself is disabled. Present only while the key is stopped because of its account. */
  ownDisabled: optional(flag('own_disabled')),
  deleted: flag('deleted'),
  limits: limitsField('limits'),
  /** Undefined if the limit is for the key's lifetime. */
  limitReset: optional(oneOf('limit_reset', limitResets)),
  /** Number of times that the limit was changed. */
  revision: count('revision'),
  privacy: privacyField,
  sensitiveData: sensitiveDataField,
  ...useLimitFields,
  /** Version of the configuration, 1 after its creation. Used as the ETag. */
  version: count('version'),
  expiresAt: optional(text('expires_at')),
  /** Tags of the key: values by name. Absent if the key has no tags. */
  tags: optional(plain<KeyTags>('tags')),
  createdAt: text('created_at'),
  updatedAt: optional(text('updated_at')),
});

/** A replaced secret of a key, and the ISO time until which it works. */
export interface OldSecret {
  hash: string;
  until: string;
}

/** Tags of a key for reports, chosen by the client: {project: 'search'}. */
export type KeyTags = Readonly<Record<string, string>>;

/**
 * A key with its permissions and limits. The item does not have the secret, only its keyed hash and its masked form
 * (`label`).
 */
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

/** Returns the period of a key's limit: its `limitReset`, or the lifetime. */
export function limitInterval(key: Pick<ApiKey, 'limitReset'>): Interval {
  return key.limitReset ?? 'lifetime';
}

/** Returns the limit of a key by its period, in the form that counters use. */
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

/** Replaces the key, if the stored version is the version that was read. */
export function keyReplacement(table: Table, before: ApiKey, after: ApiKey): Write {
  return putOver(table, keyItem(after), before.version);
}

export async function readKey(table: Table, hash: string): Promise<ApiKey | undefined> {
  const item = await readItem(table, keyItemKey(hash));
  return item?.['entity'] === KEY_SECRET ? undefined : item && keyFrom(item);
}

/** Kind of the items that refer from the hash of a later secret to the key. */
const KEY_SECRET = 'key_secret';

/**
 * Returns the key to which a secret belongs, by the hash of the secret: the current one, or a replaced one. The caller
 * checks whether a replaced secret still works.
 *
 * Cost: one read, or two for a secret other than the key's first one.
 */
export async function readKeyOfSecret(table: Table, secretHash: string): Promise<ApiKey | undefined> {
  const item = await readItem(table, keyItemKey(secretHash));
  return item?.['entity'] === KEY_SECRET ? readKey(table, item['key_hash'] as string) : item && keyFrom(item);
}

/** Returns the hash of the current secret of a key. */
export function currentSecretHash({ hash, secretHash = hash }: Pick<ApiKey, 'hash' | 'secretHash'>): string {
  return secretHash;
}

/** Stores the reference from the hash of a new secret to its key. */
export function secretPut(table: Table, { hash }: ApiKey, secretHash: string): Write {
  return putNew(table, { ...keyItemKey(secretHash), entity: KEY_SECRET, key_hash: hash });
}

export function secretRemoval(table: Table, secretHash: string): Write {
  return remove(table, keyItemKey(secretHash), { equal: { entity: KEY_SECRET } });
}
