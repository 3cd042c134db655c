import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin } from '../support/admin.ts';
import { get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { readMp4 } from '../support/mp4.ts';

/** A client's own server: it has a picture, and is called back. */
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

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('a film of the sandbox comes of a picture at an address, with a signed word that it is there', async () => {
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
  expect(readMp4(Buffer.from(await file.arrayBuffer())).samples).toHaveLength(10);
});
