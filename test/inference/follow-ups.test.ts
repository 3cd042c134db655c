import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { followUpsOf } from '../../lambdas/inference/batch/follow-ups.ts';
import type { UsableEndpoint } from '../../lambdas/routing/usable-endpoints.ts';

let server: Server;
let origin: string;
let requests: { url: string; key: string | undefined }[];
let answers: { status: number; body: string }[];

beforeEach(async () => {
  requests = [];
  answers = [];
  server = createServer(({ url = '', headers }, response) => {
    requests.push({ url, key: headers['x-key'] as string | undefined });
    const { status, body } = answers.shift() ?? { status: 200, body: '{"status":"Ready"}' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function followUps(baseUrl = origin, signal = AbortSignal.timeout(20_000)) {
  const provider = { id: 'acme', name: 'Acme', baseUrl, data: {} };
  const candidate = { endpoint: { provider, auth: 'x-key' }, credential: 'secret' } as unknown as UsableEndpoint;
  const log = { received: () => {} } as unknown as AttemptLog;
  return followUpsOf({ candidate, signal, log });
}

describe('a poll of a job', () => {
  it('goes to the provider with its credential, by path or by an address of the same host', async () => {
    const { poll } = followUps();

    expect(await poll('/jobs/7')).toEqual({ status: 'Ready' });
    expect(await poll(`${origin}/jobs/7?x=1`)).toEqual({ status: 'Ready' });
    expect(requests).toEqual([
      { url: '/jobs/7', key: 'secret' },
      { url: '/jobs/7?x=1', key: 'secret' },
    ]);
  });

  it.each([
    'https://evil.example/get_result',
    'https://bfl.ai.evil.example/get_result',
    'https://evilbfl.ai/get_result',
    'http://169.254.169.254/latest/meta-data',
    'https://user:secret@api.bfl.ai/get_result',
    'https://api.bfl.ai:8443/get_result',
    'http://api.bfl.ai/get_result',
    'file:///etc/passwd',
    'not an address',
  ])('is refused at an address that is not a public one of the provider: %s', async (place) => {
    const { poll } = followUps('https://api.bfl.ai');

    await expect(poll(place, 'bfl.ai')).rejects.toMatchObject({ failure: 'malformed' });
  });

  it('sends no credential to another origin', async () => {
    const { poll } = followUps('http://127.0.0.1:9');

    await expect(poll(`${origin}/jobs/7`)).rejects.toMatchObject({ failure: 'malformed' });
    expect(requests).toEqual([]);
  });

  it('is repeated after a failure, because the job goes on', async () => {
    answers = [
      { status: 503, body: '{}' },
      { status: 200, body: '<html>' },
    ];

    expect(await followUps().poll('/jobs/7')).toEqual({ status: 'Ready' });
    expect(requests).toHaveLength(3);
  });

  it('ends when the client leaves', async () => {
    const leaving = new AbortController();
    const polled = followUps(origin, leaving.signal).poll('/jobs/7');
    leaving.abort();

    await expect(polled).rejects.toThrow('abort');
    expect(requests).toEqual([]);
  });
});

describe('a download of a file', () => {
  it('is refused from addresses that are not public', async () => {
    const { download } = followUps();

    for (const url of ['http://169.254.169.254/a.png', 'https://10.0.0.1/a.png', 'nothing']) {
      await expect(download(url, 1_000)).rejects.toMatchObject({ failure: 'broken' });
    }
  });
});
