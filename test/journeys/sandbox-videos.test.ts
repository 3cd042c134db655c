import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin } from '../support/admin.ts';
import { noticeName } from '../../lambdas/inference/jobs/provider-webhook.ts';
import { finalGeneration, get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { readMp4 } from '../support/mp4.ts';

/** Server of the gateway's client: it serves a picture, and receives callbacks. */
let client: Listening;
let gateway: RunningGateway;
let data: string;
let calledBack: Promise<{ headers: Record<string, string>; body: string }>;

beforeAll(async () => {
  const called = Promise.withResolvers<{ headers: Record<string, string>; body: string }>();
  calledBack = called.promise;
  client = await listen(
    createServer((request, response) => {
      if (request.method === 'GET') return void response.writeHead(200, { 'content-type': 'image/png' }).end(png);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        called.resolve({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
        response.writeHead(204).end();
      });
    }),
  );
  data = mkdtempSync(join(tmpdir(), 'gateway-films-'));
  gateway = await startGateway({ args: ['--data', data] });
});
afterAll(async () => {
  await gateway.stop();
  await client.stop();
  rmSync(data, { recursive: true });
});

const pepper = () => (JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as { pepper: string }).pepper;

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('a sandbox video is made from a picture at a URL, with a signed notice of its completion', async () => {
  const submitted = await post(gateway, '/videos', {
    model: 'sandbox/filmmaker',
    prompt: 'A fox @sandbox polls=0',
    duration: 5,
    resolution: '768p',
    aspect_ratio: '9:16',
    frame_images: [{ type: 'image_url', image_url: { url: `${client.url}/fox.png` }, frame_type: 'first_frame' }],
    callback_url: `${client.url}/hook`,
  });
  const { id } = (await submitted.json()) as { id: string };
  expect(submitted.status).toBe(202);

  const { headers, body } = await calledBack;

  const { callback_secret: secret } = await admin(data, 'accounts', 'callback-secret');
  expect(new Webhook(secret as string).verify(body, headers)).toMatchObject({
    type: 'video.generation.completed',
    data: { id, status: 'completed', model: 'sandbox/filmmaker', usage: { cost: 62.5 } },
  });
  const file = await get(gateway, `/videos/${id}/content`);
  expect(readMp4(Buffer.from(await file.arrayBuffer())).samples).toHaveLength(4);
});

it("a provider's notice makes the gateway poll at once, and a forged or repeated notice changes nothing", async () => {
  const submitted = await post(gateway, '/videos', {
    model: 'sandbox/filmmaker',
    prompt: 'A hare @sandbox hook=100',
    duration: 5,
  });
  const { id } = (await submitted.json()) as { id: string };
  const status = async () => ((await (await get(gateway, `/videos/${id}`)).json()) as { status: string }).status;
  const notify = (name: string) =>
    post({ ...gateway, key: 'none' }, `/videos/notices/${name}`, { status: 'failed', challenge: 'echo' });
  const name = noticeName({ accountId: gateway.accountId, id }, pepper());
  const forged = [
    `${gateway.accountId}.${id}.${'0'.repeat(64)}`,
    noticeName({ accountId: 'other', id }, pepper()).replace('other', gateway.accountId),
    'nothing',
  ];

  const answers = await Promise.all(forged.map(async (each) => (await notify(each)).status));
  await expect.poll(status).toBe('completed');
  const repeated = await notify(name);

  expect(answers).toEqual([404, 404, 404]);
  expect([repeated.status, await repeated.json()]).toEqual([200, { received: true, challenge: 'echo' }]);
  expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: 62.5 });
  expect(await status()).toBe('completed');
});
