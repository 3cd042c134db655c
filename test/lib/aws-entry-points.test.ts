import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, startFunctionUrl } from '../../lambdas/server/api-server.ts';
import { startInProcessHost } from '../../lambdas/server/in-process-host.ts';
import type { Listener } from '../../lambdas/server/listener.ts';
import { Concurrency } from '../../lib/local/concurrency.ts';
import { Throttle } from '../../lib/local/throttle.ts';
import { behindApiGateway, behindFunctionUrl } from '../../lib/local/aws-entry-points.ts';

const MAX_SILENCE_MS = 300;
const DOOR_SECONDS = 2;
/** Time limit of API Gateway in tests that do not depend on it. */
const LONG_DOOR_SECONDS = 60;

/** Functions that end the answers that the test keeps open. */
const held: (() => void)[] = [];

/** Several of these test functions are slow, silent or endless. */
const handlers: Record<string, (event: unknown, response: ServerResponse) => Promise<unknown>> = {
  async 'create-message'(_event, response) {
    response.writeHead(200).write('begun');
    await sleep(3 * MAX_SILENCE_MS);
    response.end('too late');
  },
  async 'create-chat-completion'(_event, response) {
    response.writeHead(200);
    for (let piece = 0; piece < 12; piece += 1) {
      response.write('.');
      await sleep(MAX_SILENCE_MS / 6);
    }
    response.end('!');
  },
  'create-response': (_event, response) => sleep(3 * MAX_SILENCE_MS).then(() => response.end()),
  'create-embeddings'(_event, response) {
    const pieces = setInterval(() => response.write('.'), MAX_SILENCE_MS / 3);
    response.once('close', () => clearInterval(pieces));
    return new Promise(() => undefined);
  },
  'get-key': () => new Promise(() => undefined),
  async 'count-tokens'(event) {
    const { body, isBase64Encoded, headers } = event as APIGatewayProxyEvent;
    return { statusCode: 200, body: JSON.stringify({ body, isBase64Encoded, encoding: headers['content-encoding'] }) };
  },
  async 'list-models'(_event, response) {
    await new Promise<void>((resolve) => held.push(resolve));
    response.end('done');
  },
};

let api: Listener;
let functionUrl: Listener;
beforeAll(async () => {
  const host = await startInProcessHost([], async (name) => ({ handler: handlers[name] }));
  const names = Object.keys(handlers);
  const routes = names.map((functionName) => ({
    method: 'POST',
    path: `/${functionName}`,
    functionName,
    streaming: functionName !== 'get-key' && functionName !== 'count-tokens',
    takesFiles: functionName === 'count-tokens',
  }));
  const concurrency = new Concurrency(1);
  const throttle = new Throttle();
  const integrationSeconds = {
    ...Object.fromEntries(names.map((name) => [name, LONG_DOOR_SECONDS])),
    'create-embeddings': DOOR_SECONDS,
    'get-key': DOOR_SECONDS,
  };
  const at = { port: 0, host: '127.0.0.1' };
  const behind = behindApiGateway(host, { concurrency, throttle, integrationSeconds, maxSilenceMs: MAX_SILENCE_MS });
  api = await startApi(at, { routes, unknownRoute: 'get-key' }, behind);
  functionUrl = await startFunctionUrl(at, 'list-models', behindFunctionUrl(host, concurrency));
});
afterAll(async () => {
  for (const end of held) end();
  await Promise.all([api.stop(), functionUrl.stop()]);
});

const ask = (name: string) => fetch(`${api.url}/v1/${name}`, { method: 'POST', body: '{}' });

describe('a streamed answer through API Gateway', () => {
  it('is cut after the idle timeout', async () => {
    const answer = await ask('create-message');

    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  it('continues while bytes arrive within the idle timeout', async () => {
    const answer = await ask('create-chat-completion');

    expect(await answer.text()).toBe(`${'.'.repeat(12)}!`);
  });

  it('is cut after the total timeout', async () => {
    const begunMs = performance.now();

    const answer = await ask('create-embeddings');

    await expect(answer.text()).rejects.toThrow('terminated');
    expect(performance.now() - begunMs).toBeGreaterThan(DOOR_SECONDS * 1_000 - 50);
  });

  it('is a timeout if the head does not arrive in time', async () => {
    const answer = await ask('create-response');

    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: { type: 'timeout_error', code: 504 } });
  });
});

it('a buffered answer is a timeout after the time limit of API Gateway', async () => {
  const answer = await ask('get-key');

  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/took too long/) as string } });
});

describe('a function at its concurrency limit', () => {
  it('answers 529 with Retry-After, or 429 at its URL, until a run ends', async () => {
    const first = ask('list-models');
    await expect.poll(() => held).toHaveLength(1);

    const second = await ask('list-models');
    const atUrl = await fetch(functionUrl.url, { method: 'POST', body: '{}' });
    held.pop()!();
    await (await first).text();
    const third = ask('list-models');
    await expect.poll(() => held).toHaveLength(1);
    held.pop()!();

    expect([second.status, second.headers.get('retry-after')]).toEqual([529, '1']);
    expect(await second.json()).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', code: 529, metadata: { error_type: 'provider_overloaded' } },
    });
    expect([atUrl.status, await atUrl.text()]).toEqual([429, '']);
    expect(await (await third).text()).toBe('done');
  });
});

describe('an API above its rate limit', () => {
  it('answers 429 with Retry-After, and later accepts requests again', async () => {
    const host = await startInProcessHost([], async () => ({ handler: async () => ({ statusCode: 204 }) }));
    const throttle = new Throttle(5);
    const behind = behindApiGateway(host, {
      concurrency: new Concurrency(),
      throttle,
      integrationSeconds: { 'get-key': DOOR_SECONDS },
    });
    const routes = [{ method: 'POST', path: '/get-key', functionName: 'get-key', streaming: false }];
    const throttled = await startApi({ port: 0, host: '127.0.0.1' }, { routes, unknownRoute: 'get-key' }, behind);
    const askThrottled = () => fetch(`${throttled.url}/v1/get-key`, { method: 'POST', body: '{}' });

    const atOnce = await Promise.all(Array.from({ length: 40 }, askThrottled));
    await sleep(500);
    const later = await askThrottled();
    await throttled.stop();

    const refused = atOnce.filter(({ status }) => status !== 204);
    expect(atOnce.length - refused.length).toBeGreaterThanOrEqual(10);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await answer.json()).toMatchObject({
        error: { type: 'rate_limit_error', code: 429, metadata: { error_type: 'rate_limit_exceeded' } },
      });
    }
    expect(later.status).toBe(204);
  });
});

const sendPacked = (encoding: string, body: Uint8Array<ArrayBuffer>) =>
  fetch(`${api.url}/v1/count-tokens`, { method: 'POST', headers: { 'content-encoding': encoding }, body });

describe('a compressed body', () => {
  const TEXT = '{"text":"Привет"}';
  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
  ])('is unpacked, and its header stays: %s', async (encoding, pack) => {
    const answer = await sendPacked(encoding, pack(TEXT));

    expect(await answer.json()).toEqual({ body: TEXT, isBase64Encoded: false, encoding });
  });

  it.each([
    ['br', brotliCompressSync(TEXT)],
    ['zstd', zstdCompressSync(TEXT)],
    ['gzip', Buffer.from(TEXT)],
    ['gzip', gzipSync(TEXT).subarray(0, 20)],
    ['gzip, gzip', gzipSync(gzipSync(TEXT))],
  ])('is refused if API Gateway cannot unpack it: %s', async (encoding, body) => {
    const answer = await sendPacked(encoding, body);

    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({
      error: { code: 415, message: expect.stringContaining('"content-encoding: gzip"') as string },
    });
  });

  it.each([11, 7])('is too large if it unpacks to %s MB', async (mebibytes) => {
    const answer = await sendPacked('gzip', gzipSync(Buffer.alloc(mebibytes * 1024 * 1024, 'a')));

    expect(answer.status).toBe(413);
  });
});

const sendForm = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${api.url}/v1/count-tokens`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
    body,
  });

describe('a form', () => {
  const FORM = Buffer.from('--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--\r\n', 'latin1');

  it('reaches the function as base64, because it is a binary media type of the API', async () => {
    const answer = await sendForm(FORM);

    expect(await answer.json()).toMatchObject({ body: FORM.toString('base64'), isBase64Encoded: true });
  });

  it('is unpacked before it becomes base64, and its header stays', async () => {
    const answer = await sendForm(gzipSync(FORM), { 'content-encoding': 'gzip' });

    expect(await answer.json()).toEqual({ body: FORM.toString('base64'), isBase64Encoded: true, encoding: 'gzip' });
  });

  it('is refused if API Gateway cannot unpack it', async () => {
    expect((await sendForm(zstdCompressSync(FORM), { 'content-encoding': 'zstd' })).status).toBe(415);
  });

  it.each([
    [4.4, 200],
    [4.8, 413],
    [7, 413],
  ])('with %s MB is answered with %s, because base64 must fit into an event', async (megabytes, status) => {
    const answer = await sendForm(Buffer.concat([FORM, Buffer.alloc(megabytes * 1024 * 1024)]));

    expect(answer.status).toBe(status);
    if (status === 413) expect(await answer.text()).toContain('about 4.5 MB');
    else await answer.body?.cancel();
  });
});
