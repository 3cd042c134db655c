/** Faults that occur on AWS and that a local gateway imitates on request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-unkind-'));
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const start = async (...args: string[]) => (gateway = await startGateway({ args: ['--data', directory, ...args] }));
const ask = (client: RunningGateway, directives: string, more: object = {}) =>
  post(client, '/messages', { model: 'sandbox/claude', max_tokens: 50, messages: [said('Hi', directives)], ...more });

/** Compares the books. The command fails if they differ. */
async function expectBooks(): Promise<void> {
  expect(await adminHere(directory, 'reconcile', '--deep')).toMatchObject({ code: 0 });
}

describe('functions at their concurrency limit', () => {
  it('refuse requests before they start: these cost nothing, and all others are charged', async () => {
    const client = await start('--concurrency', '3');

    const answers = await Promise.all(Array.from({ length: 15 }, () => ask(client, 'tokens=10 delay=300')));
    const url = { ...client, baseUrl: `${client.streamingUrl}/v1` };
    const atUrl = await Promise.all(Array.from({ length: 6 }, () => ask(url, 'tokens=10 delay=300')));

    const seen = answers.map(({ status, headers }) => `${status} ${headers.get('retry-after') ?? ''}`);
    expect(new Set(seen)).toEqual(new Set(['200 ', '529 1']));
    expect(new Set(atUrl.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const answered = await Promise.all(
      [...answers, ...atUrl]
        .filter(({ status }) => status === 200)
        .map(async (answer) => (await answer.json()) as { id: string; usage: { cost: number } }),
    );
    for (const { id } of answered) await finalGeneration(client, id, 150_000);
    const { data } = (await manage(client, 'GET', '/credits')).body as { data: { total_usage: number } };
    const cost = Money.sum(answered.map(({ usage }) => Money.parseNumber(String(usage.cost))));
    expect(data.total_usage).toBe(Number(cost.toString()));
    await expectBooks();
  }, 180_000);
});

describe('scheduled workers that run twice concurrently', () => {
  it('close, compare and seal ended days like one run', async () => {
    const early = await start('--now', '2026-10-15T12:00:00Z');
    for (let index = 0; index < 5; index += 1) {
      const { id } = (await (await ask(early, 'delay=0')).json()) as { id: string };
      await finalGeneration(early, id);
    }
    await early.stop();

    // Schedules run just after full minutes.
    const later = await start('--now', '2026-11-22T12:00:50Z', '--repeat-schedules');
    const client = { ...later, managementKey: early.managementKey };
    await vi.waitUntil(
      async () => {
        const { closed, sealed_days: sealed } = (await manage(client, 'GET', '/statements/2026-10')).body.data;
        return closed && sealed.length === 1;
      },
      { timeout: 150_000, interval: 500 },
    );

    expect(later.log()).not.toMatch(/books differ|books are late|"level":"error"/);
    await expectBooks();
    expect(await adminHere(directory, 'verify')).toMatchObject({ code: 0 });
  }, 200_000);
});
