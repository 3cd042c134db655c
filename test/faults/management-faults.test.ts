import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readActivity } from '../../lambdas/accounting/activity.ts';
import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { refund, topUp } from '../../lambdas/management/balance.ts';
import { setBudget, workspaceBudgets } from '../../lambdas/management/budgets.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey, deleteKey, updateKey } from '../../lambdas/management/keys.ts';
import { addMembers, removeMembers } from '../../lambdas/management/members.ts';
import { createWorkspace, deleteWorkspace, updateWorkspace } from '../../lambdas/management/workspaces.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { listBalanceEntries } from '../../lambdas/store/accounts/accounts.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import { inferenceKeysOf, keyPage } from '../../lambdas/store/accounts/key-directory.ts';
import { readKey } from '../../lambdas/store/accounts/keys.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { listWorkspaces } from '../../lambdas/store/accounts/workspaces.ts';
import { startFaultProxy, type TableFault, type FaultProxy } from '../support/fault-proxy.ts';
import { holdRequest, newSpender, placeHold, rub, settlement } from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let table: Table;
let proxy: FaultProxy;
let context: ChangeContext;
let workspaceId: string;
beforeAll(async () => {
  table = await newTable();
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  const account = await createAccount(table, operator, { name: 'Test', mode: 'postpaid' });
  context = { table: tableThrough(proxy.endpoint, table), accountId: account.id, actor: operator };
  workspaceId = account.defaultWorkspaceId;
});
afterAll(() => proxy.stop());

function suffer(faults: TableFault[]): void {
  const left = [...faults];
  proxy.faultFor = ({ action }) => (/Write|Put|Update/.test(action) ? left.shift() : undefined);
}

const newKey = () => createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'k', limit: rub('5') });
const auditOf = async (target: string) =>
  (await readAudit(table, context.accountId, { limit: 1_000 })).filter((entry) => entry.target === target);

/**
 * A conflict after a lost reply is the worst case: the next attempt has another idempotency token, so DynamoDB does not
 * recognize the repetition.
 */
describe.each<TableFault[][]>([
  [['conflict', 'conflict']],
  [['throttle']],
  [['lost-reply']],
  [['lost-reply', 'conflict']],
])('with writes that have the faults %j', (faults) => {
  it('a key is created once, and is once in its lists', async () => {
    const view = inferenceKeysOf({ workspaceId, includeDisabled: true });
    const before = await keyPage(table, view, { offset: 0, limit: 1 });
    suffer(faults);
    const { key } = await newKey();
    const after = await keyPage(table, view, { offset: before.total, limit: 10 });
    expect(after).toEqual({ hashes: [key.hash], total: before.total + 1 });
    expect(await readKey(table, key.hash)).toEqual(key);
    expect(await auditOf(`key ${key.hash}`)).toHaveLength(1);
  });

  it('a key is changed once', async () => {
    const { key } = await newKey();
    suffer(faults);
    const changed = await updateKey(context, { hash: key.hash }, { limit: rub('7'), disabled: true });
    expect(changed).toMatchObject({ version: 2, revision: 1 });
    const counter = await readCounter(table, { kind: 'key', id: key.hash });
    expect([counter.active, counter.revision, String(counter.limits.lifetime)]).toEqual([false, 1, '7']);
    expect(await auditOf(`key ${key.hash}`)).toHaveLength(2);
  });

  it('a key is deleted without an error', async () => {
    const { key } = await newKey();
    suffer(faults);
    await deleteKey(context, { hash: key.hash });
    expect((await readKey(table, key.hash))?.deleted).toBe(true);
    expect(await auditOf(`key ${key.hash}`)).toHaveLength(2);
  });

  it('a workspace is created once', async () => {
    const slug = `w-${faults.join('-')}`;
    suffer(faults);
    const workspace = await createWorkspace(context, { name: 'w', slug });
    const found = (await listWorkspaces(table, context.accountId)).filter((one) => one.slug === slug);
    expect(found).toEqual([workspace]);
  });

  it('a budget is set once', async () => {
    const workspace = await createWorkspace(context, { name: 'b', slug: `b-${faults.join('-')}` });
    suffer(faults);
    const owner = workspaceBudgets(context.accountId, workspace.id);
    const set = await setBudget(context, owner, { interval: 'daily', limit: rub('3') });
    expect(set).toMatchObject({ version: 2 });
    const counter = await readCounter(table, owner.scope);
    expect([counter.revision, String(counter.limits.daily)]).toEqual([1, '3']);
  });

  it('a payment is booked once, and refunded once', async () => {
    const { id } = await createAccount(table, operator, { name: 'Prepaid', mode: 'prepaid' });
    const prepaid = { ...context, accountId: id };
    suffer(faults);
    await topUp(prepaid, { amount: rub('10'), reference: 'INV-1' });
    suffer(faults);
    const { account } = await refund(prepaid, { amount: rub('10'), reference: 'R-1' });
    const entries = await listBalanceEntries(table, id);
    expect(account.limits.lifetime!.toString()).toBe('0');
    expect(entries.map(({ amount }) => amount.toString()).toSorted()).toEqual(['-10', '10']);
  });

  it('a change with If-Match is made once, and is not refused as a conflict', async () => {
    const { key } = await newKey();
    const workspace = await createWorkspace(context, { name: 'v', slug: `v-${faults.join('-')}` });
    suffer(faults);
    const changed = await updateKey(context, { hash: key.hash, expectedVersion: 1 }, { name: 'renamed' });
    suffer(faults);
    const moved = await updateWorkspace(
      context,
      { idOrSlug: workspace.id, expectedVersion: 1 },
      { slug: `moved-${faults.join('-')}` },
    );
    suffer(faults);
    const owner = workspaceBudgets(context.accountId, workspace.id);
    const set = await setBudget(context, owner, { interval: 'daily', limit: rub('3'), expectedVersion: 2 });

    expect([changed.version, moved.version, set.version]).toEqual([2, 2, 3]);
    expect(await auditOf(`key ${key.hash}`)).toHaveLength(2);
  });

  it('a workspace is deleted or archived without an error', async () => {
    const [unused, used] = await Promise.all(
      ['unused', 'used'].map((name) => createWorkspace(context, { name, slug: `${name}-${faults.join('-')}` })),
    );
    await createKey(context, 'pepper', { kind: 'inference', workspaceId: used!.id, name: 'k' });
    suffer(faults);
    const deleted = await deleteWorkspace(context, { idOrSlug: unused!.id, expectedVersion: 1 });
    suffer(faults);
    const archived = await deleteWorkspace(context, { idOrSlug: used!.id });

    expect([deleted, archived]).toEqual([{ archived: false }, { archived: true }]);
  });

  it('members are added and removed without an error, and counted correctly', async () => {
    const workspace = await createWorkspace(context, { name: 'm', slug: `m-${faults.join('-')}` });
    suffer(faults);
    const added = await addMembers(context, workspace, ['ann', 'bob']);
    suffer(faults);
    const removed = await removeMembers(context, workspace, ['ann']);

    expect([added.changed, removed.changed]).toEqual([2, 1]);
    expect(await auditOf(`workspace ${workspace.id}`)).toHaveLength(3);
  });

  it('a payment is reported as new', async () => {
    const { id } = await createAccount(table, operator, { name: 'Prepaid', mode: 'prepaid' });
    suffer(faults);
    const { wasBooked } = await topUp({ ...context, accountId: id }, { amount: rub('10'), reference: 'INV-2' });

    expect(wasBooked).toBe(false);
  });

  it('a day is rolled up, and its rows stay', async () => {
    const spender = await newSpender(table, {});
    const date = dayBefore(utcDate(Date.now()));
    const request = holdRequest(spender, rub('2'), { atMs: Date.parse(date) + 1_000 });
    const { hold } = await placeHold(table, request);
    await settleBatch(table, [settlement(request, hold, rub('0.7'))], { swept: false });
    const { accountId } = spender.payer;
    for (let shard = 0; shard < 8; shard += 1) {
      suffer(faults);
      await rollUpShard(context.table, { accountId, date, shard, sinceMs: Date.now() });
    }
    const rows = await readActivity(table, accountId, [date], {});
    expect(rows).toMatchObject([{ requests: 1, usage: rub('0.7') }]);
  });
});

it('rows of a day stay if the reply to the change of its version is lost', async () => {
  const spender = await newSpender(table, {});
  const date = dayBefore(utcDate(Date.now()));
  const request = holdRequest(spender, rub('2'), { atMs: Date.parse(date) + 1_000 });
  const { hold } = await placeHold(table, request);
  await settleBatch(table, [settlement(request, hold, rub('0.7'))], { swept: false });
  const { accountId } = spender.payer;
  for (let shard = 0; shard < 8; shard += 1) {
    let moves = 0;
    proxy.faultFor = ({ action, body }) =>
      action === 'UpdateItem' && body.includes('read_at_ms') && (moves += 1) === 1 ? 'lost-reply' : undefined;
    await rollUpShard(context.table, { accountId, date, shard, sinceMs: Date.now() });
    expect(moves).toBe(2);
  }
  expect(await readActivity(table, accountId, [date], {})).toMatchObject([{ requests: 1, usage: rub('0.7') }]);
});

it('a key with many concurrent holds can be disabled', async () => {
  proxy.faultFor = () => undefined;
  const { key } = await newKey();
  suffer(Array<TableFault>(20).fill('conflict'));
  expect(await updateKey(context, { hash: key.hash }, { disabled: true })).toMatchObject({ disabled: true });
  expect((await readCounter(table, { kind: 'key', id: key.hash })).active).toBe(false);
});
