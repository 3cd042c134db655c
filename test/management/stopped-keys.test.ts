import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, setAccountStatus } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey, deleteKey, updateKey } from '../../lambdas/management/keys.ts';
import { alignKeys } from '../../lambdas/management/stopped-keys.ts';
import { createWorkspace } from '../../lambdas/management/workspaces.ts';
import { isActive, readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { keyItemKey, readKey } from '../../lambdas/store/accounts/keys.ts';
import { readItem } from '../../lambdas/store/table/query.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

async function newAccount() {
  const actor = { kind: 'operator', id: 'test' } as const;
  const { id: accountId, defaultWorkspaceId: workspaceId } = await createAccount(table, actor, {
    name: 'Acme',
    mode: 'postpaid',
  });
  const changes: ChangeContext = { table, accountId, actor };
  const newKey = async (more: object = {}) => {
    const { key } = await createKey(changes, 'pepper', { kind: 'inference', workspaceId, name: 'k', ...more });
    return key.hash;
  };
  const become = async (status: 'active' | 'suspended' | 'closed') => {
    await setAccountStatus(changes, { status, reason: 'Test' });
    return alignKeys(table, accountId);
  };
  return { changes, newKey, become };
}

/** Returns the field by which the previous release refuses a key. */
const isDisabledBefore = async (hash: string) => (await readItem(table, keyItemKey(hash)))!['disabled'];
const ownSetting = async (hash: string) => (await readKey(table, hash))!.disabled;

describe.each(['suspended', 'closed'] as const)('keys of an account with status %s', (status) => {
  it('are disabled for the previous release, each kind in each workspace', async () => {
    const { changes, newKey, become } = await newAccount();
    const { id: workspaceId } = await createWorkspace(changes, { name: 'Team', slug: 'team', description: '' });
    const management = await createKey(changes, 'pepper', { kind: 'management', name: 'm' });
    const hashes = [await newKey(), await newKey({ workspaceId }), management.key.hash];

    expect(await become(status)).toBe(3);

    expect(await Promise.all(hashes.map(isDisabledBefore))).toEqual([true, true, true]);
    expect(await Promise.all(hashes.map(ownSetting))).toEqual([false, false, false]);
  });

  it('have their own setting again after the account is resumed', async () => {
    const { changes, newKey, become } = await newAccount();
    const [enabled, disabled] = [await newKey(), await newKey()];
    await updateKey(changes, { hash: disabled }, { disabled: true });

    await become(status);
    await become('active');

    expect(await isDisabledBefore(enabled)).toBe(false);
    expect(await isDisabledBefore(disabled)).toBe(true);
    expect(await readItem(table, keyItemKey(disabled))).not.toHaveProperty('own_disabled');
  });
});

describe('a stopped key', () => {
  it('stays disabled while its own setting changes, and has the last setting after the account is resumed', async () => {
    const { changes, newKey, become } = await newAccount();
    const [on, off] = [await newKey(), await newKey()];
    await updateKey(changes, { hash: on }, { disabled: true });
    await become('suspended');

    await updateKey(changes, { hash: on }, { disabled: false });
    await updateKey(changes, { hash: off }, { disabled: true, name: 'off' });

    expect(await Promise.all([on, off].map(isDisabledBefore))).toEqual([true, true]);
    await become('active');
    expect(await Promise.all([on, off].map(isDisabledBefore))).toEqual([false, true]);
  });

  it('is disabled from its creation on if the account is not active', async () => {
    const { newKey, become } = await newAccount();
    await become('suspended');
    const hash = await newKey();

    expect(await isDisabledBefore(hash)).toBe(true);
    expect(await become('active')).toBe(1);
    expect(await isDisabledBefore(hash)).toBe(false);
  });

  it('can be deleted', async () => {
    const { changes, newKey, become } = await newAccount();
    const hash = await newKey();
    await become('suspended');
    await deleteKey(changes, { hash });

    expect(await become('active')).toBe(0);
    expect((await readKey(table, hash))!.deleted).toBe(true);
  });
});

describe('the command that disables the keys of an account', () => {
  it('continues after an interrupted run, and changes nothing when it is repeated', async () => {
    const { changes, newKey, become } = await newAccount();
    const hash = await newKey();
    await setAccountStatus(changes, { status: 'suspended', reason: 'The command dies here' });
    expect(await isDisabledBefore(hash)).toBe(false);

    expect(await become('suspended')).toBe(1);
    expect(await isDisabledBefore(hash)).toBe(true);
    expect(await become('suspended')).toBe(0);
  });

  it('includes each of many keys, also during other changes of keys', async () => {
    const { changes, newKey, become } = await newAccount();
    const hashes: string[] = [];
    for (let count = 0; count < 130; count += 1) hashes.push(await newKey());
    const others = async () => {
      for (const hash of hashes.slice(0, 40)) await deleteKey(changes, { hash });
      for (const hash of hashes.slice(100)) await updateKey(changes, { hash }, { name: 'another' });
      for (let count = 0; count < 10; count += 1) hashes.push(await newKey());
    };

    await Promise.all([become('suspended'), others()]);

    const left = hashes.slice(40);
    const stopped = await Promise.all(left.map(isDisabledBefore));
    expect(stopped.filter((isStopped) => isStopped !== true)).toEqual([]);
  });

  it('ends with the status of the account, also if suspend and resume run concurrently', async () => {
    const { changes, newKey, become } = await newAccount();
    const hashes: string[] = [];
    for (let count = 0; count < 60; count += 1) hashes.push(await newKey());

    const suspending = become('suspended').catch((error: Error) => error.message);
    const resuming = become('active').catch((error: Error) => error.message);
    await Promise.all([suspending, resuming]);

    const account = (await readAccount(table, changes.accountId))!;
    const stopped = await Promise.all(hashes.map(isDisabledBefore));
    expect(new Set(stopped)).toEqual(new Set([!isActive(account)]));
  });
});
