import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionHost } from '../../lambdas/server/function-host.ts';
import { startApi } from '../../lambdas/server/api-server.ts';
import type { Listener } from '../../lambdas/server/listener.ts';

let bodyLength = 0;
let server: Listener;
beforeAll(async () => {
  const host = {
    invoke: () => Promise.resolve({ statusCode: 200, headers: {}, body: '"'.repeat(bodyLength) }),
  } as unknown as FunctionHost;
  const routes = [
    { method: 'GET', path: '/large', functionName: 'large', streaming: false },
    { method: 'POST', path: '/files', functionName: 'large', streaming: false, takesFiles: true },
  ];
  server = await startApi({ port: 0, host: '127.0.0.1' }, { routes, unknownRoute: 'large' }, host);
});
afterAll(() => server.stop());

const status = async (length: number) => {
  bodyLength = length;
  return (await fetch(`${server.url}/v1/large`)).status;
};

describe('an answer of a function that does not stream', () => {
  it('is passed on up to six megabytes, with its quotes escaped', async () => {
    expect(await status(3_145_000)).toBe(200);
  });

  it('is a failure above that size, as on Lambda', async () => {
    expect(await status(3_146_000)).toBe(502);
  });
});

describe('a request that is refused before its body is read', () => {
  it.each([
    ['a body that is far too large', '/v1/large', 413],
    ['a path outside of the API', '/large', 404],
  ])(
    'gets the refusal after its body was sent, because many clients do not read before: %s',
    async (_, path, status) => {
      for (let time = 0; time < 5; time += 1) {
        const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: 'x'.repeat(10_000_000) });

        expect(answer.status).toBe(status);
      }
    },
  );
});

const sendForm = async (path: string) => {
  const form = new FormData();
  form.set('prompt', 'x'.repeat(7_000_000));
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: form });
  return { status: answer.status, text: await answer.text() };
};

describe('a form that is too large', () => {
  it('is refused with the limit for forms if the route accepts files', async () => {
    expect(await sendForm('/v1/files')).toEqual({ status: 413, text: expect.stringContaining('4.5 MB') });
  });

  it('is refused with the limit for every body if the route accepts no files', async () => {
    expect(await sendForm('/v1/large')).toEqual({ status: 413, text: expect.stringContaining('larger than 6 MB') });
  });
});
