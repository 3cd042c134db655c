import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { sendCallback, type Callback } from '../../lambdas/inference/jobs/customer-webhook.ts';
import { callbackSecret } from '../../lambdas/platform/secrets/callback-secret.ts';
import { listen, type Listening } from '../support/listen.ts';

const pepper = 'pepper of this test';
const local = { allowLoopback: true };

let server: Listening;
let answer: (response: ServerResponse) => void;
let received: { headers: IncomingMessage['headers']; body: string }[];

beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
        answer(response);
      });
    }),
  );
});
afterAll(() => server.stop());
beforeEach(() => {
  received = [];
  answer = (response) => response.writeHead(204).end();
});

const callback = (url: string): Callback => ({
  url,
  accountId: 'acc-1',
  endedAtMs: 1_795_305_600_500,
  noun: 'video',
  job: {
    id: 'gen-1',
    status: 'completed',
    generation_id: 'gen-1',
    model: 'acme/film',
    unsigned_urls: ['https://gateway.example/v1/videos/gen-1/content?index=0'],
    usage: { cost: Money.parse('99.000000000001') },
  },
});

it('a callback has the state of the video and its exact cost', async () => {
  expect(await sendCallback(callback(server.url), pepper, Date.now(), local)).toEqual({ outcome: 'delivered' });

  expect(received[0]!.body).toContain('"cost":99.000000000001}');
  expect(JSON.parse(received[0]!.body)).toEqual({
    type: 'video.generation.completed',
    created_at: 1_795_305_600,
    data: {
      id: 'gen-1',
      status: 'completed',
      generation_id: 'gen-1',
      model: 'acme/film',
      unsigned_urls: ['https://gateway.example/v1/videos/gen-1/content?index=0'],
      usage: { cost: 99.000000000001 },
    },
  });
});

it.each(['failed', 'cancelled', 'expired'] as const)(
  'a callback has its own type for a video that has %s',
  async (status) => {
    const { job, ...rest } = callback(server.url);
    const { id, generation_id, model } = job;

    await sendCallback({ ...rest, job: { id, generation_id, model, status, error: 'Why' } }, pepper, Date.now(), local);

    expect(JSON.parse(received[0]!.body)).toMatchObject({ type: `video.generation.${status}`, data: { error: 'Why' } });
  },
);

it('a callback has a valid signature of standard-webhooks, only with the secret of the account', async () => {
  await sendCallback(callback(server.url), pepper, Date.now(), local);
  const { headers, body } = received[0]!;
  const verify = (secret: string, text = body) => new Webhook(secret).verify(text, headers as Record<string, string>);

  expect(verify(callbackSecret(pepper, 'acc-1'))).toMatchObject({ type: 'video.generation.completed' });
  expect(() => verify(callbackSecret(pepper, 'acc-2'))).toThrow('No matching signature');
  expect(() => verify(callbackSecret('another pepper', 'acc-1'))).toThrow('No matching signature');
  expect(() => verify(callbackSecret(pepper, 'acc-1'), body.replace('99', '1'))).toThrow('No matching signature');
});

it('a callback has the same id in all attempts, and the time of each attempt', async () => {
  await sendCallback(callback(server.url), pepper, 1_795_305_601_000, local);
  await sendCallback(callback(server.url), pepper, 1_795_305_661_000, local);

  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_gen-1', 'msg_gen-1']);
  expect(received.map(({ headers }) => headers['webhook-timestamp'])).toEqual(['1795305601', '1795305661']);
  expect(received[0]!.body).toBe(received[1]!.body);
});

it.each<[number, object]>([
  [200, { outcome: 'delivered' }],
  [299, { outcome: 'delivered' }],
  [302, { outcome: 'failed', reason: 'status 302' }],
  [404, { outcome: 'failed', reason: 'status 404' }],
  [410, { outcome: 'refused', reason: 'gone' }],
  [429, { outcome: 'failed', reason: 'status 429' }],
  [500, { outcome: 'failed', reason: 'status 500' }],
])("status %s of a callback's answer is handled as standard-webhooks defines it", async (status, outcome) => {
  answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end();

  expect(await sendCallback(callback(server.url), pepper, Date.now(), local)).toEqual(outcome);
  expect(received).toHaveLength(1);
});

it('a callback does not read the body of the answer', async () => {
  answer = (response) => response.writeHead(200).write('and so on');

  expect(await sendCallback(callback(server.url), pepper, Date.now(), local)).toEqual({ outcome: 'delivered' });
});

it.each<[string, object]>([
  ['https://10.0.0.1/hook', { outcome: 'refused', reason: 'not_public' }],
  ['http://hook.example/', { outcome: 'refused', reason: 'not_https' }],
  ['hook', { outcome: 'refused', reason: 'not_a_url' }],
])('a callback to %s is not repeated', async (url, outcome) => {
  expect(await sendCallback(callback(url), pepper, Date.now())).toEqual(outcome);
});

it('a callback to a silent server ends after a timeout and is repeated later', async () => {
  answer = () => {};

  expect(await sendCallback(callback(server.url), pepper, Date.now(), { ...local, timeoutMs: 40 })).toEqual({
    outcome: 'failed',
    reason: 'timeout',
  });
});
