import type { Money } from '../money/money.ts';
import type { Interval } from '../money/periods.ts';
import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { privacyAttribute, privacyFrom, type Privacy } from './privacy.ts';
import { readItem } from './query.ts';
import { sensitiveDataFrom, type SensitiveData } from './sensitive-data.ts';
import { numberFrom, type Item, type Table } from './table.ts';

export const keyKinds = ['inference', 'management'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** Periods after which a key's limit starts anew. */
export const limitResets = ['daily', 'weekly', 'monthly'] as const;
export type LimitReset = (typeof limitResets)[number];

/** A key by what it may do and spend. The secret itself is never stored, only its keyed hash. */
export interface ApiKey {
  hash: string;
  kind: KeyKind;
  accountId: string;
  /** Inference keys only. */
  workspaceId: string | undefined;
  memberId: string | undefined;
  name: string;
  label: string;
  disabled: boolean;
  deleted: boolean;
  limit: Money | undefined;
  /** Undefined: the limit is for the key's lifetime. */
  limitReset: LimitReset | undefined;
  /** Counts changes of the limit. */
  revision: number;
  privacy: Privacy;
  sensitiveData: SensitiveData;
  /** Counts every change of the configuration: the ETag. */
  version: number;
  expiresAt: string | undefined;
  createdAt: string;
  updatedAt: string | undefined;
}

export function keyItemKey(hash: string): { pk: string; sk: string } {
  return { pk: `KEY#${hash}`, sk: 'KEY' };
}

/** The period in which a key's limit counts. */
export function limitInterval(key: Pick<ApiKey, 'limitReset'>): Interval {
  return key.limitReset ?? 'lifetime';
}

/** The key's limit as its counter knows it. */
export function limitsOfKey(key: Pick<ApiKey, 'limit' | 'limitReset'>): Limits {
  return key.limit ? { [limitInterval(key)]: key.limit } : {};
}

export function keyItem(key: ApiKey): Item {
  return {
    ...keyItemKey(key.hash),
    entity: 'key',
    hash: key.hash,
    kind: key.kind,
    account_id: key.accountId,
    workspace_id: key.workspaceId,
    member_id: key.memberId,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    deleted: key.deleted,
    limits: limitsAttribute(limitsOfKey(key)),
    limit_reset: key.limitReset,
    revision: key.revision,
    privacy: privacyAttribute(key.privacy),
    sensitive_data: key.sensitiveData,
    version: key.version,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  };
}

export function keyFrom(item: Item): ApiKey {
  const limits = limitsFrom(item['limits']);
  // A limit counts in the period that it is stored under, whatever else the record says.
  const limitReset = limitResets.find((period) => limits[period]) ?? (item['limit_reset'] as LimitReset | undefined);
  return {
    hash: item['hash'] as string,
    kind: item['kind'] as KeyKind,
    accountId: item['account_id'] as string,
    workspaceId: item['workspace_id'] as string | undefined,
    memberId: item['member_id'] as string | undefined,
    name: item['name'] as string,
    label: item['label'] as string,
    disabled: item['disabled'] === true,
    deleted: item['deleted'] === true,
    limit: limits[limitInterval({ limitReset })],
    limitReset,
    revision: numberFrom(item['revision']),
    privacy: privacyFrom(item['privacy']),
    sensitiveData: sensitiveDataFrom(item['sensitive_data']),
    version: numberFrom(item['version']),
    expiresAt: item['expires_at'] as string | undefined,
    createdAt: item['created_at'] as string,
    updatedAt: item['updated_at'] as string | undefined,
  };
}

export async function readKey(table: Table, hash: string): Promise<ApiKey | undefined> {
  const item = await readItem(table, keyItemKey(hash));
  return item && keyFrom(item);
}
