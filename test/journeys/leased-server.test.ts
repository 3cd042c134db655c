import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { readCounter, type ScopeId } from '../../lambdas/store/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generation-queries.ts';
import type { Generation } from '../../lambdas/store/generation.ts';
import { openLeases } from '../../lambdas/store/leases.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { admin } from '../support/admin.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { descendantsOf } from '../support/processes.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-leases-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Every generation of today and yesterday: a test may run at midnight. */
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

/** What generations have cost. */
const costOf = (all: Generation[]) => Money.sum(all.map(({ outcome }) => outcome?.cost ?? Money.zero)).toString();

const amounts = async (table: Table, scope: ScopeId) => {
  const counter = await readCounter(table, scope);
  return [counter.spent('lifetime').toString(), counter.committed('lifetime').toString()];
};

/** A stream whose answer nobody waits for. */
function ask(server: RunningGateway, directives: string): Promise<string> {
  const body = { model: 'sandbox/claude', max_tokens: 500, stream: true, messages: [said('Write', directives)] };
  return post(server, '/messages', body).then((response) => response.text());
}

/** Thirty requests, a few at a time, so that a server has a lease after the first of them. */
function askOften(server: RunningGateway, directives: string): Promise<string[]> {
  return Promise.all(Array.from({ length: 30 }, (_, index) => sleep(index * 25).then(() => ask(server, directives))));
}

it('a server leases what a busy key spends: its books add up, and do so when it is killed in the middle', async () => {
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
    .poll(async () => [(await leases(table)).length, ...(await amounts(table, keyScope))], { timeout: 15_000 })
    .toEqual([0, ...Array<string>(2).fill(costOf(await generations(table, first.accountId)))]);

  const streams = askOften(server, 'tokens=400 delay=20').catch(() => undefined);
  await expect.poll(async () => (await leases(table)).length, { timeout: 10_000 }).toBeGreaterThan(0);
  for (const { pid, command } of descendantsOf(first.process.pid!)) {
    if (command.includes('/server-')) process.kill(pid, 'SIGKILL');
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
