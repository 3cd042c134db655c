import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { documentsOf } from '../../lambdas/store/documents.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey, updateKey } from '../../lambdas/management/keys.ts';
import { updateWorkspace } from '../../lambdas/management/workspaces.ts';
import { listAccountIds } from '../../lambdas/store/accounts.ts';
import { inferenceKeysOf, keyPage, tallyKey } from '../../lambdas/store/key-directory.ts';
import { keyItemKey } from '../../lambdas/store/keys.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { workspaceKey } from '../../lambdas/store/workspaces.ts';
import { upgradeRecords } from '../../lib/upgrade.ts';
import { newTable } from '../support/table.ts';

const operator = { kind: 'operator', id: 'test' } as const;

it('brings records of the first version up to date, once', async () => {
  const table = await newTable();
  const account = await createAccount(table, operator, { name: 'Old', mode: 'postpaid' });
  const context = { table, accountId: account.id, actor: operator };
  const workspaceId = account.defaultWorkspaceId;
  const { key } = await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'k' });
  const view = inferenceKeysOf({ workspaceId, includeDisabled: true });
  await makeOld(table, account, key.hash, `${key.createdAt}#${key.hash}`, view);
  expect((await keyPage(table, view, { offset: 0, limit: 10 })).total).toBe(0);

  expect(await upgradeRecords(table)).toEqual({ account: 1, workspace: 1, member: 0, key: 1 });

  expect(await keyPage(table, view, { offset: 0, limit: 10 })).toEqual({ hashes: [key.hash], total: 1 });
  expect(await updateKey(context, { hash: key.hash }, { disabled: true })).toMatchObject({ version: 2 });
  expect(await updateWorkspace(context, { idOrSlug: 'default' }, { name: 'New' })).toMatchObject({ version: 2 });
  const accounts: string[] = [];
  for await (const { id } of listAccountIds(table)) accounts.push(id);
  expect(accounts).toEqual([account.id]);
  expect(await upgradeRecords(table)).toEqual({ account: 0, workspace: 0, member: 0, key: 0 });
});

/** What the first version wrote: no versions, no lists. */
async function makeOld(
  table: Table,
  account: { id: string; defaultWorkspaceId: string; createdAt: string },
  hash: string,
  entry: string,
  view: string,
): Promise<void> {
  for (const Key of [keyItemKey(hash), workspaceKey(account.id, account.defaultWorkspaceId)]) {
    const UpdateExpression = 'REMOVE version, privacy';
    await documentsOf(table).send(new UpdateCommand({ TableName: table.name, Key, UpdateExpression }));
  }
  const enabled = `${view}#ENABLED`;
  const entries = [view, enabled].flatMap((list) => [tallyKey(list), { pk: `KEYS#${list}`, sk: entry }]);
  for (const Key of [...entries, { pk: 'ACCOUNTS', sk: `${account.createdAt}#${account.id}` }]) {
    await documentsOf(table).send(new DeleteCommand({ TableName: table.name, Key }));
  }
}
