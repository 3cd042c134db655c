import { hashSecret, maskSecret, newKeySecret } from '../admission/credentials.ts';
import { notFound } from '../platform/errors.ts';
import { nowMs } from '../platform/clock.ts';
import { activeUpdate, configureUpdate } from '../store/counters.ts';
import { keyItem, keyItemKey, type ApiKey, type KeyKind } from '../store/keys.ts';
import type { Limits } from '../store/limits.ts';
import type { Table } from '../store/table.ts';
import { transact } from '../store/transact.ts';

export interface NewKey {
  kind: KeyKind;
  accountId: string;
  workspaceId?: string | undefined;
  memberId?: string | undefined;
  name: string;
  /** At most one interval. */
  limits?: Limits;
  expiresAt?: string | undefined;
}

/** Creates a key. The secret is in this answer and nowhere else. */
export async function createKey(table: Table, pepper: string, input: NewKey): Promise<{ key: ApiKey; secret: string }> {
  const secret = newKeySecret(input.kind);
  const key: ApiKey = {
    hash: hashSecret(pepper, secret),
    kind: input.kind,
    accountId: input.accountId,
    workspaceId: input.workspaceId,
    memberId: input.memberId,
    name: input.name,
    label: maskSecret(secret),
    disabled: false,
    deleted: false,
    limits: input.limits ?? {},
    revision: 0,
    expiresAt: input.expiresAt,
    createdAt: new Date(nowMs()).toISOString(),
    updatedAt: undefined,
  };
  await transact(table, [
    { Put: { TableName: table.name, Item: keyItem(key), ConditionExpression: 'attribute_not_exists(pk)' } },
    {
      Update: configureUpdate(table, { kind: 'key', id: key.hash }, { limits: key.limits, revision: 0, active: true }),
    },
  ]);
  return { key, secret };
}

/** Switches a key off or on; its next hold notices at once, every other use within five seconds. */
export async function setKeyDisabled(table: Table, hash: string, disabled: boolean): Promise<void> {
  const outcome = await transact(table, [
    {
      Update: {
        TableName: table.name,
        Key: keyItemKey(hash),
        UpdateExpression: 'SET disabled = :disabled, updated_at = :now',
        ConditionExpression: 'attribute_exists(pk) AND deleted = :no',
        ExpressionAttributeValues: { ':disabled': disabled, ':now': new Date(nowMs()).toISOString(), ':no': false },
      },
    },
    { Update: activeUpdate(table, { kind: 'key', id: hash }, !disabled) },
  ]);
  if (!outcome.committed) throw notFound(`There is no key "${hash}".`);
}
