import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { openLeases } from '../../lambdas/store/counters/leases.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { admin } from '../support/admin.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { sweepTwice } from '../support/leasing.ts';
import { repeated } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import { descendantsOf } from '../support/processes.ts';
import { startTrouble } from '../support/table-trouble.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-leases-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the generations of yesterday and today, because a test may run at midnight. */
async function generations(table: Table, accountId: string): Promise<Generation[]> {
  const found: Generation[] = [];
  for (const atMs of [Date.now() - 86_400_000, Date.now()]) {
    for await (const one of generationsOfDay(table, accountId, new Date(atMs).toISOString().slice(0, 10)))
      found.push(one);
  }
  return found;
}

async function leases(table: Table) {
  const found = [];
  for await (const lease of openLeases(table)) found.push(lease);
  return found;
}

const costOf = (all: Generation[]) => Money.sum(all.map(({ outcome }) => outcome?.cost ?? Money.zero)).toString();

const amounts = async (table: Table, scope: ScopeId) => {
  const counter = await readCounter(table, scope);
  return [counter.spent('lifetime').toString(), counter.committed('lifetime').toString()];
};

/** Returns the numbers of open leases and pending records, and whether a key's counter equals the records' cost. */
async function unsettled(table: Table, accountId: string, keyScope: ScopeId) {
  const [open, all, counted] = [
    await leases(table),
    await generations(table, accountId),
    await amounts(table, keyScope),
  ];
  const pending = all.filter(({ state }) => state === 'pending').length;
  return { leases: open.length, pending, isSound: counted.every((amount) => amount === costOf(all)) };
}

function ask(server: RunningGateway, directives: string): Promise<string> {
  const body = { model: 'sandbox/claude', max_tokens: 500, stream: true, messages: [said('Write', directives)] };
  return post(server, '/messages', body).then((response) => response.text());
}

/** Sends thirty requests. After the first of them, the server takes a lease. */
function askOften(server: RunningGateway, directives: string): Promise<string[]> {
  return Promise.all(Array.from({ length: 30 }, (_, index) => sleep(index * 25).then(() => ask(server, directives))));
}

it('a server leases amounts for a busy key, and its books add up, also after a kill', async () => {
  const first = await startGateway({ args: ['--data', directory, '--web'] });
  const { key, hash } = await admin(directory, 'keys', 'create', '--name', 'busy', '--limit', '5000');
  const server = { ...first, baseUrl: first.webUrl, key: key as string };
  const keyScope: ScopeId = { kind: 'key', id: hash as string };
  const table = first.table();

  await askOften(server, 'tokens=5');

  const fromLeases = (await generations(table, first.accountId)).filter(({ lease }) => lease !== undefined);
  expect(fromLeases.length).toBeGreaterThan(5);
  // Leases end by themselves, and settlements follow.
  await expect
    .poll(() => unsettled(table, first.accountId, keyScope))
    .toEqual({ leases: 0, pending: 0, isSound: true });

  const streams = askOften(server, 'tokens=400 delay=20').catch(() => undefined);
  await expect.poll(async () => (await leases(table)).length).toBeGreaterThan(0);
  for (const { pid, argv } of await descendantsOf(first.process.pid!)) {
    if (argv[1]!.includes('/server-')) process.kill(pid, 'SIGKILL');
  }
  await first.kill();
  await streams;

  const second = await startGateway({ args: ['--data', directory] });
  try {
    const left = second.table();
    expect(await leases(left)).toEqual([]);
    const all = await generations(left, second.accountId);
    expect(all.filter(({ state }) => state === 'pending')).toEqual([]);
    const spent = costOf(all);
    for (const scope of [keyScope, { kind: 'account', id: second.accountId } as const]) {
      expect(await amounts(left, scope)).toEqual([spent, spent]);
    }
  } finally {
    await second.stop();
  }
});

const REQUESTS = repeated(2_000, { ofWhichAlways: 150 });
const AT_ONCE = 16;

interface Answered {
  status: number;
  id: string;
  cost: string | undefined;
}

/** Sends a request. The kinds of requests take turns: without streaming, streamed, failing at the provider. */
async function withFailover(server: RunningGateway, turn: number): Promise<Answered> {
  const plain = { model: 'sandbox/claude', max_tokens: 30, messages: [said('Hi', 'delay=0')] };
  const kinds = [plain, { ...plain, stream: true }, { ...plain, messages: [said('Hi', 'error=500')] }];
  const response = await post(server, '/messages', kinds[turn % kinds.length]);
  const body = await response.text();
  const cost = [...body.matchAll(/"cost":([\d.e-]+)/g)].at(-1)?.[1];
  return { status: response.status, id: response.headers.get('x-generation-id')!, cost };
}

describe('a leasing server with a failing table', () => {
  let dynamodb: LocalDynamodb;
  let proxy: FaultProxy;
  let gateway: RunningGateway;
  beforeAll(async () => {
    dynamodb = await startDynamodb(undefined);
    proxy = await startFaultProxy(dynamodb.endpoint);
    gateway = await startGateway({ args: ['--web'], env: { DYNAMODB_ENDPOINT: proxy.endpoint } });
  });
  afterAll(async () => {
    proxy.faultFor = () => undefined;
    await gateway.stop();
    await proxy.stop();
    await dynamodb.stop();
  });

  async function newClient(name: string): Promise<{ server: RunningGateway; scope: ScopeId }> {
    const { body: key } = await manage(gateway, 'POST', '/keys', { name, limit: 5_000 });
    const server = { ...gateway, baseUrl: gateway.webUrl, key: key.key as string };
    return { server, scope: { kind: 'key', id: (key['data'] as { hash: string }).hash } };
  }

  /**
   * Returns the records of a key when they are settled and its leases are returned. The sweep gets a later time,
   * because it returns leases about two minutes after their creation.
   */
  async function settledRecords({ id }: ScopeId): Promise<Map<string, Generation>> {
    const table = gateway.table();
    const own = async () =>
      (await generations(table, gateway.accountId)).filter(({ payer: { keyHash } }) => keyHash === id);
    const pending = async () => (await own()).filter(({ state }) => state === 'pending').length;
    await expect.poll(pending, { timeout: 180_000, interval: 500 }).toBe(0);
    await sweepTwice(table, Date.now() + 600_000);
    return new Map((await own()).map((one) => [one.id, one]));
  }

  /**
   * Each answer must cost the amount in the client's response, and failed requests nothing. The key must have spent the
   * sum, and hold nothing.
   */
  async function expectBooksToAddUp(answers: Answered[], scope: ScopeId): Promise<void> {
    const records = await settledRecords(scope);
    const costOfOne = (id: string) => records.get(id)?.outcome?.cost ?? Money.zero;
    const wrong = answers.filter(({ status, id, cost }) =>
      status === 200 ? !costOfOne(id).equals(Money.parseNumber(cost!)) : !costOfOne(id).isZero,
    );
    expect(wrong).toEqual([]);
    const spent = costOf([...records.values()]);
    expect(await amounts(gateway.table(), scope)).toEqual([spent, spent]);
  }

  it(`completes ${REQUESTS} requests, or refuses them as busy`, { timeout: 600_000 }, async () => {
    const { server, scope } = await newClient('busy');
    const calm = startTrouble(proxy);
    const answers: Answered[] = [];
    let turn = 0;
    const work = async () => {
      while (turn < REQUESTS) answers.push(await withFailover(server, turn++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await calm();

    expect(answers.filter(({ status }) => ![200, 502, 529].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(REQUESTS / 4);
    await expectBooksToAddUp(answers, scope);
    const leased = [...(await settledRecords(scope)).values()].filter(({ lease }) => lease !== undefined);
    expect(leased.length).toBeGreaterThan(10);
  });

  it('returns no answer without a record, and charges nothing for it', { timeout: 600_000 }, async () => {
    const { server, scope } = await newClient('unrecorded');
    await Promise.all(Array.from({ length: 20 }, () => withFailover(server, 0)));
    proxy.faultFor = ({ action, body }) =>
      action === 'PutItem' && body.includes('lease_id') ? 'unavailable' : undefined;

    const answers = await Promise.all(Array.from({ length: 6 }, (_, turn) => withFailover(server, turn % 2)));
    proxy.faultFor = () => undefined;

    const refused = answers.filter(({ status }) => status === 529);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => ![200, 529].includes(status))).toEqual([]);
    const records = await settledRecords(scope);
    for (const { id } of refused)
      expect(records.get(id)).toMatchObject({ lease: undefined, outcome: { cost: Money.zero } });
    await expectBooksToAddUp(answers, scope);
    // The log of a settlement without a record has the name of this error.
    expect(gateway.log()).not.toContain('UnknownGenerationError');
  });
});
