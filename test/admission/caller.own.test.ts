import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import {
  asInferenceCaller,
  checkCredential,
  findCaller,
  privacyOf,
  type Caller,
} from '../../lambdas/admission/caller.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey, deleteKey, findKey, updateKey, type NewKey } from '../../lambdas/management/keys.ts';
import { addMembers, removeMembers } from '../../lambdas/management/members.ts';
import { rotateKey } from '../../lambdas/management/rotate-key.ts';
import { setTagBudget } from '../../lambdas/management/tag-budgets.ts';
import { createWorkspace, deleteWorkspace, findWorkspace } from '../../lambdas/management/workspaces.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { keyItemKey } from '../../lambdas/store/accounts/keys.ts';
import { readItem } from '../../lambdas/store/table/query.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { Workspace } from '../../lambdas/store/accounts/workspaces.ts';
import { startCapacityMeter, type CapacityMeter } from '../support/capacity-meter.ts';
import { refused } from '../support/refused.ts';
import { rub } from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

const operator = { kind: 'operator', id: 'test' } as const;
const CACHE_MS = 3_000;

let meter: CapacityMeter;
let table: Table;
let context: ChangeContext;
let workspace: Workspace;
beforeAll(async () => {
  const direct = await newTable();
  meter = await startCapacityMeter(inject('dynamodbEndpoint'));
  table = tableThrough(meter.endpoint, direct);
  const account = await createAccount(direct, operator, { name: 'Test', mode: 'postpaid' });
  context = { table: direct, accountId: account.id, actor: operator };
  workspace = await findWorkspace(direct, account.id, account.defaultWorkspaceId);
});
afterAll(() => meter.stop());

// Tests share the cached budgets of their account, so the time never goes back.
let laterMs = 0;
beforeEach(() => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  delete process.env[variables.callerCacheMs];
});

async function newKey(more: Partial<NewKey> = {}): Promise<string> {
  const { key } = await createKey(context, 'pepper', {
    kind: 'inference',
    workspaceId: workspace.id,
    name: 'k',
    ...more,
  });
  return key.hash;
}

const callerOf = async (more: Partial<NewKey> = {}): Promise<Caller> => (await findCaller(table, await newKey(more)))!;
const manager = () => callerOf({ kind: 'management', workspaceId: undefined });

/** Finds a caller, and returns the number of table calls by action. */
async function callsToFind(hash: string, times = 1): Promise<Record<string, number>> {
  meter.reset();
  await Promise.all(Array.from({ length: times }, () => findCaller(table, hash)));
  return meter.calls;
}

describe('a caller', () => {
  it('has the key with its account, workspace and member', async () => {
    await addMembers(context, workspace, ['ada']);
    const hash = await newKey({ memberId: 'ada' });

    expect(await findCaller(table, hash)).toMatchObject({
      key: { hash, memberId: 'ada' },
      account: { id: context.accountId },
      workspace: { id: workspace.id },
      member: { id: 'ada' },
    });
  });

  it('takes two reads at first, and none while the cached value is fresh', async () => {
    const hash = await newKey();

    expect(await callsToFind(hash)).toEqual({ GetItem: 1, BatchGetItem: 1 });
    expect(await callsToFind(hash)).toEqual({});
  });

  it('takes one read after the cached value has expired', async () => {
    const hash = await newKey();
    await findCaller(table, hash);

    laterMs += CACHE_MS;

    expect(await callsToFind(hash)).toEqual({ BatchGetItem: 1 });
  });

  it('expires while its function is frozen and the monotonic clock stands still', async () => {
    const hash = await newKey();
    await findCaller(table, hash);
    const [steadyMs, wallMs] = [performance.now(), Date.now()];
    vi.spyOn(performance, 'now').mockReturnValue(steadyMs);
    vi.spyOn(Date, 'now').mockReturnValue(wallMs + CACHE_MS);

    expect(await callsToFind(hash)).toEqual({ BatchGetItem: 1 });
  });

  it('expires also if the wall clock is set back', async () => {
    const hash = await newKey();
    await findCaller(table, hash);
    const wallMs = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(wallMs - 3_600_000);
    laterMs += CACHE_MS;

    expect(await callsToFind(hash)).toEqual({ BatchGetItem: 1 });
  });

  it('is read once for all concurrent requests, cached or not', async () => {
    const hash = await newKey();

    expect(await callsToFind(hash, 20)).toEqual({ GetItem: 1, BatchGetItem: 1 });
    laterMs += CACHE_MS;
    expect(await callsToFind(hash, 20)).toEqual({ BatchGetItem: 1 });
  });

  it('is cached for as long as the environment variable sets', async () => {
    const hash = await newKey();
    await findCaller(table, hash);
    process.env[variables.callerCacheMs] = '60000';

    laterMs += 59_000;
    expect(await callsToFind(hash)).toEqual({});
    laterMs += 1_000;
    expect(await callsToFind(hash)).toEqual({ BatchGetItem: 1 });
  });

  it('is read again after a failed read', async () => {
    const hash = await newKey();
    const away = tableThrough('http://127.0.0.1:1', table);

    await expect(findCaller(away, hash)).rejects.toThrow();

    expect((await findCaller(table, hash))!.key.hash).toBe(hash);
  });

  it('has its changes after the cached value has expired', async () => {
    const hash = await newKey();
    await findCaller(table, hash);
    await updateKey(context, { hash }, { name: 'renamed' });

    laterMs += CACHE_MS;

    expect((await findCaller(table, hash))!.key.name).toBe('renamed');
  });
});

const budgetsOf = async (hash: string) => (await findCaller(table, hash))!.tagBudgets.map(({ limits }) => limits);
const setBudget = (limit: string, value = 'lake') =>
  setTagBudget(context, { name: 'project', value, interval: 'daily', limit: rub(limit) });

describe('the budgets of tags', () => {
  // The clocks stand still, so that cached values do not expire on a slow machine.
  beforeEach(() => {
    const [steadyMs, wallMs] = [performance.now() - laterMs, Date.now()];
    vi.spyOn(performance, 'now').mockImplementation(() => steadyMs + laterMs);
    vi.spyOn(Date, 'now').mockReturnValue(wallMs);
    laterMs += CACHE_MS;
  });

  beforeAll(async () => {
    const account = await createAccount(context.table, operator, { name: 'Tagged', mode: 'postpaid' });
    context = { ...context, accountId: account.id };
    workspace = await findWorkspace(context.table, account.id, account.defaultWorkspaceId);
    for (let turn = 0; turn < 30; turn += 1) await setBudget('5', `${'л'.repeat(90)}${turn}`);
  });

  it('are read once for all keys of an account, in the calls that read the callers', async () => {
    const hashes = await Promise.all(Array.from({ length: 6 }, () => newKey()));
    meter.reset();
    await findCaller(table, hashes[0]!);
    const unitsOfBudgets = meter.units;
    laterMs += CACHE_MS;
    for (const hash of hashes) await findCaller(table, hash);
    meter.reset();
    laterMs += CACHE_MS;

    await Promise.all(hashes.map((hash) => findCaller(table, hash)));

    expect(meter.calls).toEqual({ BatchGetItem: hashes.length });
    expect(unitsOfBudgets).toBeGreaterThan(8);
    expect(meter.units).toBeLessThan(3 * unitsOfBudgets);
  });

  it('have their changes for every key after the cached values have expired', async () => {
    const [first, second] = [await newKey(), await newKey()];
    await budgetsOf(first);
    laterMs += CACHE_MS - 500;
    await budgetsOf(second);
    await setBudget('7');
    laterMs += 500;

    for (const hash of [second, first]) expect(await budgetsOf(hash)).toContainEqual({ daily: rub('7') });
  });

  it('are read by a caller itself if the read of another caller fails', async () => {
    const [first, second] = [await newKey(), await newKey()];
    for (const hash of [first, second]) await budgetsOf(hash);
    laterMs += CACHE_MS;
    const away = tableThrough('http://127.0.0.1:1', table);

    const failed = expect(findCaller(away, first)).rejects.toThrow();
    // The read that fails has begun, so the second caller waits for it.
    await Promise.resolve();

    expect((await budgetsOf(second)).length).toBeGreaterThan(0);
    await failed;
  });
});

describe('an unusable key', () => {
  const unusable: [string, () => Promise<{ hash: string; stop: () => Promise<unknown> }>][] = [
    [
      'is disabled',
      async () => {
        const hash = await newKey();
        return { hash, stop: () => updateKey(context, { hash }, { disabled: true }) };
      },
    ],
    [
      'is deleted',
      async () => {
        const hash = await newKey();
        return { hash, stop: () => deleteKey(context, { hash }) };
      },
    ],
    [
      'belongs to a removed member',
      async () => {
        await addMembers(context, workspace, ['bob']);
        const hash = await newKey({ memberId: 'bob' });
        return { hash, stop: () => removeMembers(context, workspace, ['bob']) };
      },
    ],
    [
      'belongs to an archived workspace',
      async () => {
        const { id } = await createWorkspace(context, { name: 'W', slug: 'w' });
        const hash = await newKey({ workspaceId: id });
        return { hash, stop: () => deleteWorkspace(context, { idOrSlug: id }) };
      },
    ],
  ];

  it('has no caller if it is unknown', async () => {
    expect(await findCaller(table, 'f'.repeat(64))).toBeUndefined();
  });

  it.each(unusable)('%s: it is refused with 401 after the cached value has expired', async (_why, make) => {
    const { hash, stop } = await make();
    await findCaller(table, hash).catch(() => undefined);
    await stop();

    laterMs += CACHE_MS;

    await expect(findCaller(table, hash)).rejects.toMatchObject({ status: 401, kind: 'authentication' });
  });

  it('is refused at once after its expiry, also from the cache', async () => {
    const expiresAtMs = Date.now() + 60_000;
    const hash = await newKey({ expiresAt: new Date(expiresAtMs).toISOString() });
    await findCaller(table, hash);

    vi.spyOn(Date, 'now').mockReturnValue(expiresAtMs);

    await expect(findCaller(table, hash)).rejects.toMatchObject({ status: 401 });
  });

  it('works again after it is enabled again', async () => {
    const hash = await newKey();
    await updateKey(context, { hash }, { disabled: true });
    await findCaller(table, hash).catch(() => undefined);
    await updateKey(context, { hash }, { disabled: false });

    laterMs += CACHE_MS;

    expect((await findCaller(table, hash))!.key.disabled).toBe(false);
  });
});

const rotated = (hash: string, seconds: number) => rotateKey(context, 'pepper', { hash }, seconds);
const found = async (secretHash: string) => (await findCaller(table, secretHash).catch(() => undefined))?.key.hash;

describe('a rotated key', () => {
  it('is the same key for its new secret, and for the old one until the stated time', async () => {
    const hash = await newKey();
    const { key } = await rotated(hash, 60);
    const endsAtMs = Date.now() + 60_000;

    expect([await found(key.secretHash!), await found(hash)]).toEqual([hash, hash]);
    vi.spyOn(Date, 'now').mockReturnValue(endsAtMs);
    expect([await found(key.secretHash!), await found(hash)]).toEqual([hash, undefined]);
  });

  it('takes three reads at first, and one after the cached value has expired', async () => {
    const { key } = await rotated(await newKey(), 60);

    expect(await callsToFind(key.secretHash!)).toEqual({ GetItem: 2, BatchGetItem: 1 });
    laterMs += CACHE_MS;
    expect(await callsToFind(key.secretHash!)).toEqual({ BatchGetItem: 1 });
  });

  it('ends earlier secrets at the time that the last rotation stated, and removes ended secrets', async () => {
    const hash = await newKey();
    const second = await rotated(hash, 600);
    const third = await rotated(hash, 60);
    expect(third.key.oldSecrets!.map((old) => old.until)).toEqual([third.oldWorksUntil, third.oldWorksUntil]);
    expect(await found(second.key.secretHash!)).toBe(hash);

    const last = await rotated(hash, 0);
    laterMs += CACHE_MS;

    const secrets = [hash, second.key.secretHash!, third.key.secretHash!, last.key.secretHash!];
    expect(await Promise.all(secrets.map(found))).toEqual([undefined, undefined, undefined, hash]);
    expect(last.key.oldSecrets).toBeUndefined();
    expect(await readItem(context.table, keyItemKey(second.key.secretHash!))).toBeUndefined();
  });

  it('is not found under the hash of a later secret by requests that name a key', async () => {
    const { key } = await rotated(await newKey(), 60);

    await expect(findKey(context.table, context.accountId, key.secretHash!)).rejects.toMatchObject({ status: 404 });
  });

  it('keeps at most ten old secrets', async () => {
    const hash = await newKey();
    for (let times = 1; times <= 10; times += 1) await rotated(hash, 60);

    await expect(rotated(hash, 60)).rejects.toMatchObject({ status: 409 });
    expect((await rotated(hash, 0)).key.oldSecrets).toBeUndefined();
  });

  it('gets one secret for each of several concurrent rotations', async () => {
    const hash = await newKey();
    const all = await Promise.all(Array.from({ length: 4 }, () => rotated(hash, 60)));

    const { secretHash, oldSecrets } = (await findCaller(table, hash))!.key;
    const made = all.map(({ key }) => key.secretHash!);
    expect([...oldSecrets!.map((old) => old.hash), secretHash].toSorted()).toEqual([hash, ...made].toSorted());
  });
});

describe('the permissions of a caller', () => {
  it('depend on the kind of its key', async () => {
    const [inference, management] = [await callerOf(), await manager()];

    expect(() => checkCredential(inference, 'inference')).not.toThrow();
    expect(() => checkCredential(management, 'any')).not.toThrow();
    expect(refused(() => checkCredential(inference, 'management')).message).toContain('mk-mg-v1-');
    expect(refused(() => checkCredential(management, 'inference'))).toMatchObject({ status: 403 });
    expect(refused(() => asInferenceCaller(management))).toMatchObject({ status: 403 });
  });

  it("include every scope that its requests are charged to, the member's last", async () => {
    await addMembers(context, workspace, ['eve']);
    const caller = asInferenceCaller(await callerOf({ memberId: 'eve', limit: rub('5'), limitReset: 'daily' }));

    expect(caller.scopes).toMatchObject([
      { kind: 'key', id: caller.key.hash, limits: { daily: rub('5') } },
      { kind: 'workspace', id: workspace.id },
      { kind: 'account', id: context.accountId },
      { kind: 'member', id: expect.stringContaining('eve') as string },
    ]);
    expect(caller.payer).toEqual({
      accountId: context.accountId,
      workspaceId: workspace.id,
      memberId: 'eve',
      keyHash: caller.key.hash,
    });
  });

  it('are limited by the privacy settings of its account, its workspace and its key', async () => {
    const inference = await callerOf({ privacy: { blockTraining: true } });
    const management = await manager();

    expect(privacyOf(inference)).toEqual([
      inference.account.privacy,
      inference.workspace!.privacy,
      inference.key.privacy,
    ]);
    expect(privacyOf(management)).toEqual([management.account.privacy, management.key.privacy]);
  });
});
