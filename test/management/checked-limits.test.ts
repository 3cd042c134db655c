import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { sendAlertCheck, type AlertCheck } from '../../lambdas/store/alerts/alert-check.ts';
import { createAccount, setCreditLimit } from '../../lambdas/management/accounts.ts';
import { topUp } from '../../lambdas/management/balance.ts';
import { memberBudgets, setBudget, workspaceBudgets } from '../../lambdas/management/budgets.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey, updateKey } from '../../lambdas/management/keys.ts';
import { addMembers } from '../../lambdas/management/members.ts';
import { setTagBudget } from '../../lambdas/management/tag-budgets.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import { scopesOf } from '../../lambdas/store/accounts/payer.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { keepLog } from '../support/log-lines.ts';
import { rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { isEndedWithin } from '../support/in-time.ts';

let table: Table;
let context: ChangeContext;
let workspaceId: string;
let checks: AlertCheck[];
const actor = { kind: 'operator', id: 'test' } as const;

beforeAll(async () => {
  table = await newTable();
});
beforeEach(async () => {
  keepLog();
  await newContext('postpaid');
});

async function newContext(mode: 'prepaid' | 'postpaid'): Promise<void> {
  const account = await createAccount(table, actor, { name: 'A', mode });
  workspaceId = account.defaultWorkspaceId;
  checks = [];
  context = { table, accountId: account.id, actor, checkAlerts: async (check) => void checks.push(check) };
}

const compared = () =>
  checks.flatMap(({ payer, only }) => scopesOf(payer).filter(({ kind }) => only === undefined || kind === only));

it('a changed limit of a key is compared with its spending, and another change is not', async () => {
  const { key } = await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'k' });
  await updateKey(context, { hash: key.hash }, { name: 'k2' });
  expect(checks).toEqual([]);

  await updateKey(context, { hash: key.hash }, { limit: rub('5') });

  expect(compared()).toEqual([{ kind: 'key', id: key.hash }]);
  expect(checks[0]!.payer).toMatchObject({ accountId: context.accountId, workspaceId });
});

it('a changed budget is compared with the spending of its owner', async () => {
  const workspace = await findWorkspace(table, context.accountId, workspaceId);
  await addMembers(context, workspace, ['ann']);
  const change = { interval: 'daily', limit: rub('5') } as const;

  await setBudget(context, workspaceBudgets(context.accountId, workspaceId), change);
  await setBudget(context, memberBudgets(workspaceId, 'ann'), change);
  await setTagBudget(context, { name: 'project', value: 'lake', ...change });
  await setCreditLimit(context, { period: 'daily', limit: rub('5') });

  expect(compared()).toEqual([
    { kind: 'workspace', id: workspaceId },
    { kind: 'member', id: `${workspaceId}/ann` },
    { kind: 'tag:project', id: `${context.accountId}/lake` },
    { kind: 'account', id: context.accountId },
  ]);
});

it('a payment is compared with the balance that counts as low', async () => {
  await newContext('prepaid');

  await topUp(context, { amount: rub('100'), reference: 'pay-1' });

  expect(compared()).toEqual([{ kind: 'account', id: context.accountId }]);
});

it('a limit is changed even if the check cannot be requested', async () => {
  const failing = { ...context, checkAlerts: vi.fn(() => Promise.reject(new Error('The queue is down'))) };

  const { limits } = await setBudget(failing, workspaceBudgets(context.accountId, workspaceId), {
    interval: 'daily',
    limit: rub('5'),
  });

  expect(limits).toEqual({ daily: rub('5') });
  expect(failing.checkAlerts).toHaveBeenCalledOnce();
});

it('a change of a limit waits for a slow queue for a second at most', async () => {
  const queue = { send: () => sleep(5_000, undefined, { ref: false }) };
  const slow = { ...context, checkAlerts: async (check: AlertCheck) => sendAlertCheck(queue, check) };
  const setting = setCreditLimit(slow, { period: 'daily', limit: rub('5') });

  expect(await isEndedWithin(4_000, setting)).toBe(true);
  await setting;
});
