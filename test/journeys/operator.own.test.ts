import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';

type Rows = Record<string, unknown>[];

let directory: string;
let gateway: RunningGateway;
let account: string;
/** Keys of a prepaid account, by name; `costs` has the cost of each key's requests, and their sum as `all`. */
const keys: Record<string, { hash: string; label: string; client: RunningGateway }> = {};
let costs: Record<string, Money>;
let refused: string;

async function admin(...args: string[]): Promise<unknown> {
  return JSON.parse((await adminHere(directory, '--json', ...args)).out);
}

async function inTerminal<Result>(columns: number, run: () => Promise<Result>): Promise<Result> {
  const { isTTY, columns: before } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns });
  return run().finally(() => Object.assign(process.stdout, { isTTY, columns: before }));
}

const list = async (...args: string[]) => (await admin('--account', account, ...args)) as Rows;

async function ask(name: string, directives = ''): Promise<{ id: string; cost: Money }> {
  const request = { model: 'sandbox/claude', max_tokens: 50, messages: [said('Hi', `delay=0 ${directives}`)] };
  const response = await post(keys[name]!.client, '/messages', request);
  const id = response.headers.get('x-generation-id')!;
  const { total_cost: cost } = await finalGeneration(keys[name]!.client, id);
  return { id, cost: Money.parse(String(cost)) };
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-operator-'));
  gateway = await startGateway({ args: ['--data', directory] });
  ({ id: account } = (await admin('accounts', 'create', '--name', 'Bell', '--mode', 'prepaid')) as {
    id: string;
  });
  await list('accounts', 'top-up', '--amount', '1000', '--note', 'Invoice 1');
  await list('accounts', 'top-up', '--amount', '500.25');
  await list('accounts', 'refund', '--amount', '100', '--note', 'Paid back');
  await list('members', 'add', '--member', 'ann');
  await list('budgets', 'set', '--interval', 'daily', '--limit', '20');
  await list('budgets', 'set', '--interval', 'daily', '--limit', '10', '--member', 'ann');
  for (const [name, ...more] of [['laptop', '--member', 'ann'], ['server']] as [string, ...string[]][]) {
    const made = await admin('--account', account, 'keys', 'create', '--name', name, ...more);
    const { key, hash, label } = made as { key: string; hash: string; label: string };
    keys[name] = { hash, label, client: { ...gateway, key } };
  }
  const [first, second, third] = [await ask('laptop'), await ask('server'), await ask('server')];
  ({ id: refused } = await ask('laptop', 'error=500'));
  costs = {
    laptop: first.cost,
    server: second.cost.plus(third.cost),
    all: Money.sum([first, second, third].map((one) => one.cost)),
  };
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const spent = (row: Record<string, unknown> | undefined) => (row!['spent_rub'] as Record<string, string>)['daily'];

describe('an operator sees', () => {
  it('the spending of each key, member, workspace and account', async () => {
    const rows = await list('keys', 'list');
    expect(rows.map((row) => [row['name'], spent(row)])).toEqual([
      ['laptop', costs['laptop']!.toString()],
      ['server', costs['server']!.toString()],
    ]);
    expect(spent((await list('members', 'list'))[0])).toBe(costs['laptop']!.toString());
    expect(spent((await list('workspaces', 'list'))[0])).toBe(costs['all']!.toString());
    expect(spent((await list('accounts', 'list')).find(({ id }) => id === account))).toBe(costs['all']!.toString());
  });

  it('the remaining balance of a prepaid account, and its payments', async () => {
    const found = (await list('accounts', 'list')).find(({ id }) => id === account);
    const topUps = await list('top-ups', 'list');

    expect(found).toMatchObject({
      topped_up_rub: '1400.25',
      balance_rub: Money.parse('1400.25').minus(costs['all']!).toString(),
    });
    expect(topUps).toMatchObject([
      { amount_rub: '1000', total_rub: '1000', note: 'Invoice 1' },
      { amount_rub: '500.25', total_rub: '1500.25', note: null },
      { amount_rub: '-100', total_rub: '1400.25', note: 'Paid back' },
    ]);
  });

  it('the same balance as the customer', async () => {
    const made = await admin('--account', account, 'keys', 'create', '--kind', 'management', '--name', 'books');
    const { key } = made as { key: string };
    const { data } = (await (await get({ ...gateway, key }, '/credits')).json()) as { data: unknown };

    const usage = Number(costs['all']!.toString());
    expect(data).toEqual({
      total_credits: 1400.25,
      total_usage: usage,
      usage_daily: usage,
      usage_weekly: usage,
      usage_monthly: usage,
      held: 0,
      balance: Number(Money.parse('1400.25').minus(costs['all']!).toString()),
      limits: [],
      mode: 'prepaid',
      currency: 'RUB',
    });
  });

  it('the used share of each budget', async () => {
    const budgets = await list('budgets', 'list');

    expect(budgets).toMatchObject([
      {
        workspace: 'default',
        member_id: null,
        interval: 'daily',
        limit_rub: '20',
        spent_rub: costs['all']!.toString(),
      },
      {
        workspace: 'default',
        member_id: 'ann',
        interval: 'daily',
        limit_rub: '10',
        spent_rub: costs['laptop']!.toString(),
      },
    ]);
    expect(budgets[0]!['left_rub']).toBe(Money.parse('20').minus(costs['all']!).toString());
  });

  it('the latest requests, newest first, with their endings and costs', async () => {
    const rows = await list('generations', 'list');

    expect(rows.map(({ status }) => status)).toEqual(['refused_before', 'complete', 'complete', 'complete']);
    expect(rows[0]).toMatchObject({
      id: refused,
      model: 'sandbox/claude',
      cost_rub: '0',
      key_hash: keys['laptop']!.hash,
    });
    expect(Money.sum(rows.map(({ cost_rub: cost }) => Money.parse(cost as string))).equals(costs['all']!)).toBe(true);
    expect((await list('generations', 'list', '--limit', '2')).map(({ id }) => id)).toEqual(
      rows.slice(0, 2).map(({ id }) => id),
    );
    expect(await list('generations', 'list', '--key', 'server')).toHaveLength(2);
    expect(await list('generations', 'list', '--status', 'refused_before')).toHaveLength(1);
    expect(await list('generations', 'list', '--date', '2026-01-01')).toEqual([]);
  });

  it.each([
    ['day', 1],
    ['model', 1],
    ['provider', 1],
    ['workspace', 1],
    ['key', 2],
  ])('the spending of today, by %s', async (by, count) => {
    const rows = await list('activity', '--by', by);

    expect(rows).toHaveLength(count);
    expect(Money.sum(rows.map(({ usage_rub: usage }) => Money.parse(usage as string))).equals(costs['all']!)).toBe(
      true,
    );
  });

  it('the spending of members today, and of keys without a member', async () => {
    expect(await list('activity', '--by', 'member')).toMatchObject([
      { member: null, requests: 2, usage_rub: costs['server']!.toString() },
      { member: 'ann', requests: 1, usage_rub: costs['laptop']!.toString() },
    ]);
  });

  it('the available models', async () => {
    const { data } = (await (await get(gateway, '/models?limit=1000')).json()) as { data: Rows };
    const available = data.filter((model) => model['available'] === true).map(({ id }) => id as string);

    expect(available).toContain('sandbox/claude');
    expect(available.filter((id) => !id.startsWith('sandbox/'))).toEqual([]);
    expect(data.find(({ id }) => id === 'anthropic/claude-sonnet-5')).toMatchObject({ available: false });
  });

  it.each([
    'keys list',
    'accounts list',
    'workspaces list',
    'members list',
    'budgets list',
    'generations list',
    'activity',
    'audit',
    'providers',
  ])('%s in a table that fits a terminal', async (command) => {
    const run = () => adminHere(directory, '--account', account, ...command.split(' '));
    const text = (await inTerminal(120, run)).out;

    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe('a key at the command line', () => {
  it.each([
    ['its name', () => 'server'],
    ['its label', () => keys['server']!.label],
    ['the beginning of its hash', () => keys['server']!.hash.slice(0, 8)],
    ['its whole hash', () => keys['server']!.hash],
  ])('is selected by %s', async (_, nameOf) => {
    const changed = await admin('--account', account, 'keys', 'limit', '--key', nameOf(), '--limit', '100');

    expect(changed).toMatchObject({ hash: keys['server']!.hash, limits_rub: { lifetime: '100' } });
  });
});
