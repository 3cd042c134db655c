import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Interval } from '../money/periods.ts';
import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { queryOwned } from './query.ts';
import { indexes, numberFrom, type Item, type Table } from './table.ts';

export const keyKinds = ['inference', 'management'] as const;
export type KeyKind = (typeof keyKinds)[number];

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
  /** At most one limit: of the period after which it resets, or of the lifetime when it never does. */
  limits: Limits;
  revision: number;
  expiresAt: string | undefined;
  createdAt: string;
  updatedAt: string | undefined;
}

export function keyItemKey(hash: string): { pk: string; sk: string } {
  return { pk: `KEY#${hash}`, sk: 'KEY' };
}

export function keyItem(key: ApiKey): Item {
  const owner = key.workspaceId ? `WORKSPACE#${key.workspaceId}` : `ACCOUNT#${key.accountId}`;
  return {
    ...keyItemKey(key.hash),
    [indexes.byOwner.partition]: owner,
    [indexes.byOwner.sort]: `${key.createdAt}#${key.hash}`,
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
    limits: limitsAttribute(key.limits),
    revision: key.revision,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  };
}

export function keyFrom(item: Item): ApiKey {
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
    limits: limitsFrom(item['limits']),
    revision: numberFrom(item['revision']),
    expiresAt: item['expires_at'] as string | undefined,
    createdAt: item['created_at'] as string,
    updatedAt: item['updated_at'] as string | undefined,
  };
}

/** The one limit of a key as the API shows it: the amount and the period after which it resets (null: never). */
export function keyLimit(
  key: ApiKey,
): { interval: Interval; resets: Exclude<Interval, 'lifetime'> | null } | undefined {
  const [interval] = Object.keys(key.limits) as Interval[];
  if (!interval) return undefined;
  return { interval, resets: interval === 'lifetime' ? null : interval };
}

export async function readKey(table: Table, hash: string): Promise<ApiKey | undefined> {
  const answer = await table.documents.send(
    new GetCommand({ TableName: table.name, Key: keyItemKey(hash), ConsistentRead: true }),
  );
  return answer.Item && keyFrom(answer.Item);
}

/** Keys of a workspace (inference) or of an account (management), oldest first, without deleted ones. */
export async function listKeys(
  table: Table,
  owner: { workspaceId: string } | { accountId: string },
): Promise<ApiKey[]> {
  const partition = 'workspaceId' in owner ? `WORKSPACE#${owner.workspaceId}` : `ACCOUNT#${owner.accountId}`;
  const keys: ApiKey[] = [];
  for await (const entry of queryOwned(table, partition)) {
    const key = await readKey(table, (entry['pk'] as string).slice('KEY#'.length));
    if (key && !key.deleted) keys.push(key);
  }
  return keys;
}
