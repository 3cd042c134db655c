import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generationKey } from '../../lambdas/store/generations.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { startHostileUpstream, type HostileUpstream } from '../support/hostile-upstream.ts';
import { manage } from '../support/manage.ts';
import { replyOf } from '../support/messages-client.ts';

const PRICES = { prompt: '0.0001', completion: '0.01' };
let directory: string;
let upstream: HostileUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-review-'));
  upstream = await startHostileUpstream();
  const catalog = join(directory, 'catalog');
  mkdirSync(join(catalog, 'models'), { recursive: true });
  writeFileSync(
    join(catalog, 'providers.json'),
    JSON.stringify({
      providers: [
        {
          id: 'gpt-a',
          name: 'gpt-a',
          wire: 'openai-chat',
          base_url: upstream.url,
          credential: 'HOSTILE_KEY',
          data_policy: { logs_prompts: false, trains_on_prompts: false },
          timeouts: { first_byte_ms: 40_000, idle_ms: 40_000 },
        },
      ],
    }),
  );
  writeFileSync(
    join(catalog, 'models', 'rv.json'),
    JSON.stringify({
      models: [
        {
          id: 'rv/gpt',
          permaslug: 'rv/gpt-1',
          name: 'x',
          created: '2026-11-20',
          context_length: 1_000_000,
          input_modalities: ['text'],
          output_modalities: ['text'],
          endpoints: [
            { id: 'rv/gpt/0', provider: 'gpt-a', upstream_model: 'm', max_output_tokens: 100_000, pricing: PRICES },
          ],
        },
      ],
    }),
  );
  gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', catalog],
    env: { HOSTILE_KEY: 'abcdefghijkl', OUTPUT_STEP_TOKENS: '100' },
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop().catch((e) => console.log(String(e).slice(0, 600)));
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});
async function newKey(limit: number): Promise<RunningGateway> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'test', limit });
  return { ...gateway, key: (body as { key: string }).key };
}
function ask(client: RunningGateway, body: object, signal?: AbortSignal) {
  return fetch(`${client.baseUrl}/messages`, {
    method: 'POST',
    signal: signal ?? null,
    headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 50, model: 'rv/gpt', ...body }),
  });
}
const user = (content: string) => [{ role: 'user', content }];
async function record(id: string) {
  const table = gateway.table();
  return (
    await table.documents.send(
      new GetCommand({ TableName: table.name, Key: generationKey(gateway.accountId, id), ConsistentRead: true }),
    )
  ).Item!;
}

it('does not cut one stream while another only holds money ahead', async () => {
  const client = await newKey(20);
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let go: () => void = () => {};
  const going = new Promise<void>((resolve) => (go = resolve));
  const a = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening());
    for (let i = 0; i < 17; i += 1) {
      await x.send(x.dialect.text('a'.repeat(70)));
      await sleep(40);
    }
    go();
    await released;
    await x.send(x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const b = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening());
    await x.send(x.dialect.text('b'.repeat(40)));
    await going;
    await sleep(200);
    for (let i = 0; i < 10; i += 1) {
      await x.send(x.dialect.text('b'.repeat(40)));
      await sleep(20);
    }
    await x.send(x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const second = await ask(client, { stream: true, max_tokens: 50_000, messages: user(b) });
  const readingB = replyOf(second);
  const first = await ask(client, { stream: true, max_tokens: 50_000, messages: user(a) });
  const readingA = first.text();
  const reply = await readingB;
  const item = await record(first.headers.get('x-generation-id')!);
  console.log(
    'AHEAD B',
    reply.stopReason,
    'after',
    reply.text.length,
    'bytes; A holds',
    String(item['hold_rub']),
    'for 1190 bytes = 11.9 RUB at most',
  );
  release();
  await readingA;
  expect(reply.stopReason).toBe('end_turn');
}, 20_000);

it('is not sent for a client that left while it waited for money', async () => {
  const client = await newKey(2);
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const holder = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening());
    await released;
    await x.send(x.dialect.text('x') + x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const first = await ask(client, { stream: true, max_tokens: 100, messages: user(holder) });
  const reading = first.text();
  let sentMs: number | undefined;
  const b = upstream.behaves(async (x) => {
    sentMs = performance.now();
    return x.closed;
  });
  const leaving = new AbortController();
  const asking = ask(
    client,
    { stream: true, max_tokens: 100, messages: user(`${b} ${'word '.repeat(500)}`) },
    leaving.signal,
  ).catch(() => undefined);
  await sleep(500);
  const leftMs = performance.now();
  leaving.abort();
  await asking;
  await sleep(1_000);
  release();
  await reading;
  await sleep(3_000);
  console.log(
    'LEFT WHILE WAITING: sent to the provider',
    sentMs === undefined ? 'never' : `${(sentMs - leftMs).toFixed(0)} ms after the client left`,
  );
  expect(sentMs).toBeUndefined();
}, 20_000);

it('says something within fifteen seconds', async () => {
  const client = await newKey(2);
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const holder = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening());
    await released;
    await x.send(x.dialect.text('x') + x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const first = await ask(client, { stream: true, max_tokens: 100, messages: user(holder) });
  const reading = first.text();
  const silent = upstream.behaves(async (x) => {
    await sleep(14_000);
    await x.begin();
    await x.send(x.dialect.opening() + x.dialect.text('x') + x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const startMs = performance.now();
  setTimeout(() => release(), 8_500);
  const response = await ask(client, { stream: true, max_tokens: 100, messages: user(silent) });
  const headMs = performance.now() - startMs;
  console.log('FIRST BYTE after', headMs.toFixed(0), 'ms, status', response.status);
  await response.text();
  await reading;
  expect(headMs).toBeLessThan(15_000);
}, 40_000);
