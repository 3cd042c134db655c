import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spreadCounter } from '../../lambdas/store/counters/counter-parts.ts';
import { limitsOf, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { numberFrom } from '../../lambdas/store/table/table.ts';
import { adminJson } from '../support/admin.ts';
import { count, giveLimitedParts, hasParts, rootOf } from '../support/counter-parts.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway;
let key: { key: string; hash: string };
let scopes: Record<'key' | 'workspace' | 'member' | 'account', ScopeId>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  gateway = await startGateway({ args: ['--data', directory] });
  const { workspaceId, accountId } = gateway;
  await manage(gateway, 'POST', `/workspaces/${workspaceId}/members/add`, { user_ids: ['ann'] });
  const created = await manage(gateway, 'POST', '/keys', { name: 'busy' });
  key = { key: created.body.key, hash: created.body.data.hash };
  scopes = {
    key: { kind: 'key', id: key.hash },
    workspace: { kind: 'workspace', id: workspaceId },
    member: { kind: 'member', id: `${workspaceId}/ann` },
    account: { kind: 'account', id: accountId },
  };
  const table = gateway.table();
  await adminJson(directory, 'counters', 'allow-parts');
  for (const scope of Object.values(scopes)) {
    await count(table, scope, { amount: '1.25' });
    const spread = (await spreadCounter(table, scope))!;
    for (const [part, amount] of ['2', '0.000000000001', '0.5'].entries()) {
      await count(table, scope, { amount, spread, part: part * 20 });
    }
  }
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Gives the parts of a counter a share of its limit. */
async function grantRoom(scope: ScopeId): Promise<void> {
  const root = await rootOf(gateway.table(), scope);
  const revision = numberFrom(root['revision']);
  await giveLimitedParts(gateway.table(), { ...scope, limits: limitsOf(root), revision });
}

const ask = () =>
  post({ ...gateway, key: key.key }, '/messages', { model: 'sandbox/claude', max_tokens: 50, messages: [said('Hi')] });

const named = (rows: { hash?: string; id?: string }[], name: string) =>
  rows.find((row) => row.hash === name || row.id === name);

const TOTAL = 3.750000000001;

it('every route returns the total of all counter parts', async () => {
  const { workspaceId } = gateway;
  const body = async (path: string) => (await manage(gateway, 'GET', path)).body;

  expect(await (await get({ ...gateway, key: key.key }, '/key')).json()).toMatchObject({
    data: { usage: TOTAL, usage_daily: TOTAL },
  });
  expect(await body(`/keys/${key.hash}`)).toMatchObject({ data: { usage: TOTAL, usage_monthly: TOTAL } });
  expect(named((await body('/keys')).data, key.hash)).toMatchObject({ usage: TOTAL });
  expect(await body('/credits')).toMatchObject({ data: { total_usage: TOTAL, usage_daily: TOTAL } });
  expect(await body(`/workspaces/${workspaceId}`)).toMatchObject({ data: { usage_daily: TOTAL } });
  expect(named((await body('/workspaces')).data, workspaceId)).toMatchObject({ usage_daily: TOTAL });
  expect((await body(`/workspaces/${workspaceId}/members`)).data).toMatchObject([{ usage_daily: TOTAL }]);
});

it('an operator merges all parts with one command, and busy counters get new ones if they may', async () => {
  const table = gateway.table();
  expect(await adminJson(directory, 'counters', 'gather')).toEqual({ parts_allowed: false, counters_gathered: 4 });
  for (const scope of Object.values(scopes)) {
    expect((await rootOf(table, scope))['spent_lifetime']).toBe(String(TOTAL));
    expect(await spreadCounter(table, scope)).toBeUndefined();
  }
  await adminJson(directory, 'counters', 'allow-parts');
  for (const scope of Object.values(scopes)) expect(await spreadCounter(table, scope)).toBeTypeOf('string');
});

it('a first limit through each route merges all parts into one item', async () => {
  const { workspaceId } = gateway;
  const table = gateway.table();
  const answers = [
    await manage(gateway, 'PATCH', `/keys/${key.hash}`, { limit: 100, limit_reset: 'daily' }),
    await manage(gateway, 'PUT', `/workspaces/${workspaceId}/budgets/daily`, { limit_rub: 200 }),
    await manage(gateway, 'PUT', `/workspaces/${workspaceId}/members/ann/budgets/weekly`, { limit_rub: 300 }),
  ];
  await adminJson(directory, 'accounts', 'limit', '--period', 'monthly', '--limit', '400');

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const scope of Object.values(scopes)) {
    expect(await hasParts(table, scope)).toBe(false);
    expect((await rootOf(table, scope))['spent_lifetime']).toBe(String(TOTAL));
  }
  expect(answers[0]!.body).toMatchObject({ data: { limit_remaining: 100 - TOTAL } });
});

it('answers are the same with room granted to parts, and a request is held in them', async () => {
  for (const scope of [scopes.key, scopes.workspace, scopes.account]) await grantRoom(scope);
  const shown = async () => (await manage(gateway, 'GET', `/keys/${key.hash}`)).body.data as Record<string, number>;
  expect(await shown()).toMatchObject({ usage: TOTAL, limit_remaining: 100 - TOTAL });

  const answer = await ask();

  expect(answer.status).toBe(200);
  const { total_cost: cost } = await finalGeneration(gateway, answer.headers.get('x-generation-id')!);
  await expect.poll(async () => (await shown())['usage']).toBeCloseTo(TOTAL + Number(cost), 10);
  for (const scope of [scopes.key, scopes.workspace, scopes.account]) {
    expect(await hasParts(gateway.table(), scope)).toBe(true);
  }
});

it('a change of a limit through each route merges parts with room', async () => {
  const { workspaceId } = gateway;
  await grantRoom(scopes.member);

  const answers = [
    await manage(gateway, 'PATCH', `/keys/${key.hash}`, { disabled: true }),
    await manage(gateway, 'DELETE', `/workspaces/${workspaceId}/budgets/daily`),
    await manage(gateway, 'POST', `/workspaces/${workspaceId}/members/remove`, { user_ids: ['ann'] }),
  ];
  await adminJson(directory, 'accounts', 'suspend', '--reason', 'test');

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const scope of Object.values(scopes)) expect(await hasParts(gateway.table(), scope)).toBe(false);
  expect((await ask()).status).toBe(401);
});
