import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { maskSecret } from '../../lambdas/admission/credentials.ts';
import type { Route } from '../../lambdas/route.ts';
import { routes } from '../../lambdas/routes.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { get, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

async function send(method: string, path: string, body?: string) {
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const messageIn = (text: string) => (JSON.parse(text) as { error: { message: string } }).error.message;

describe('a request to an unknown route', () => {
  it.each([
    ['POST', '/completions', /POST \/v1\/chat\/completions/],
    ['POST', '/chat', /POST \/v1\/chat\/completions/],
    ['POST', '/responses/compact', /POST \/v1\/responses/],
    ['POST', '/v1/messages', /Leave "\/v1" out of the base URL/],
    ['GET', '/nothing', /GET \/v1\/docs describes every route/],
    ['GET', '/keys/a/b/c', /There is no GET \/v1\/keys\/a\/b\/c/],
    ['GET', '', /There is no GET \/v1\. GET \/v1\/docs describes this API/],
    ['POST', '//chat/completions', /Use single slashes: \/v1\/chat\/completions\./],
    ['POST', '/chat//completions/', /Use single slashes: \/v1\/chat\/completions\./],
    ['GET', '/health/', /Leave out the last slash: \/v1\/health\./],
    ['POST', '/messages/batches', /does not have that part/],
    ['GET', '/files/abc', /does not have that part/],
    ['GET', '/providers', /does not have that part/],
    ['GET', '/auth/key', /GET \/v1\/key returns the limits of a key/],
    ['GET', '/videos/notices', /There is no GET \/v1\/videos\/notices/],
  ])('gets a 404 with a hint: %s %s', async (method, path, hint) => {
    const { status, headers, text } = await send(method, path, method === 'POST' ? '{}' : undefined);
    expect(status).toBe(404);
    expect(messageIn(text)).toMatch(hint);
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['//v1/messages', '/v1//messages', '///v1//messages/'])(
    'gets a hint for each additional slash: %s',
    async (path) => {
      const { origin } = new URL(gateway.baseUrl);
      const response = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' });
      expect(response.status).toBe(404);
      expect(messageIn(await response.text())).toMatch(/Use single slashes: \/v1\/messages\./);
    },
  );

  it('gets an error with a masked key if the key is in a path outside of the API', async () => {
    const { origin } = new URL(gateway.baseUrl);
    const text = await (await fetch(`${origin}/models/${gateway.key}`)).text();

    expect(messageIn(text)).toContain(`There is no GET /models/${maskSecret(gateway.key)}.`);
    expect(text).not.toContain(gateway.key);
  });

  it('gets a 426 if it opens a WebSocket to a route, so that Codex uses HTTP at once', async () => {
    const { port, hostname } = new URL(gateway.baseUrl);
    const open = (path: string) => {
      const headers = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      };
      return once(request({ port, hostname, path, headers }).end(), 'response') as Promise<[IncomingMessage]>;
    };

    const [refusal] = await open('/v1/responses');
    const [unknown] = await open('/v1/nothing');

    expect(refusal.statusCode).toBe(426);
    expect(messageIn(await textOf(refusal))).toContain('/v1/responses has no WebSocket');
    expect(unknown.statusCode).toBe(404);
    unknown.resume();
  });

  it('does not get its key in the answer', async () => {
    for (const path of ['/audio/x', '/keys/x/y', `/${encodeURIComponent('{')}`]) {
      expect((await send('POST', path, '{}')).text).not.toContain(gateway.key);
    }
  });

  it.each([
    ['GET', '/messages', 'POST'],
    ['DELETE', '/models', 'GET'],
    ['POST', '/models/anthropic/claude', 'GET'],
    ['PATCH', '/workspaces', 'GET, POST'],
    ['OPTIONS', '/key', 'GET'],
    ['GET', '/videos/notices/content', 'POST'],
  ])('gets a 405 with the available methods: %s %s', async (method, path, allow) => {
    const { status, headers, text } = await send(method, path);
    expect(status).toBe(405);
    expect(headers.get('allow')?.split(', ').toSorted().join(', ')).toBe(allow);
    expect(messageIn(text)).toContain(method);
  });

  it.each(['/health', '/models', '/docs'])('may test with HEAD whether %s exists', async (path) => {
    expect(await send('HEAD', path)).toMatchObject({ status: 200, text: '' });
  });

  it('may not test with HEAD routes that need a key', async () => {
    expect((await send('HEAD', '/key')).status).toBe(405);
  });

  it('gets its 404 also with a large body', async () => {
    const { status } = await send('POST', '/files', JSON.stringify({ file: 'x'.repeat(3_000_000) }));
    expect(status).toBe(404);
  });
});

describe('the query parameter ?beta=true of SDKs', () => {
  it.each(['/models', '/keys', '/workspaces', '/activity', '/health'])('has no effect on %s', async (path) => {
    const plain = await (await get(gateway, path, gateway.managementKey)).json();
    const beta = await get(gateway, `${path}?beta=true`, gateway.managementKey);
    expect(beta.status).toBe(200);
    expect(await beta.json()).toEqual(plain);
  });

  it('has no effect if it is sent twice', async () => {
    const { status } = await get(gateway, '/workspaces?beta=true&beta=true', gateway.managementKey);
    expect(status).toBe(200);
  });

  it('is refused with another value on routes that refuse unknown parameters', async () => {
    const { status } = await get(gateway, '/workspaces?beta=perhaps', gateway.managementKey);
    expect(status).toBe(400);
  });
});

const managementReads = Object.values<Route>(routes)
  .filter(({ method, credential }) => method === 'GET' && credential === 'management')
  .flatMap(({ paths }) => paths);

describe('an unknown query parameter of a management route', () => {
  it.each(managementReads)('is refused by its name on %s', async (route) => {
    const path = route.replace('{month}', '2026-10').replace('{interval}', 'daily');
    const response = await get(gateway, `${path}?surprise=1`, gateway.managementKey);
    expect([response.status, messageIn(await response.text())]).toEqual([400, expect.stringContaining('surprise')]);
    expect(response.headers.get('request-id')).toBeTruthy();
  });
});

describe('an encoded part of a path', () => {
  it('is decoded', async () => {
    const encoded = await get(gateway, `/models/${encodeURIComponent('sandbox/claude')}`);
    expect(await encoded.json()).toEqual(await (await get(gateway, '/models/sandbox/claude')).json());
  });

  it('may be an id with punctuation', async () => {
    const budget = `/workspaces/${gateway.workspaceId}/members/${encodeURIComponent('ann@example.com')}/budgets/daily`;
    const headers = { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' };
    await fetch(`${gateway.baseUrl}/workspaces/${gateway.workspaceId}/members/add`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ user_ids: ['ann@example.com'] }),
    });
    const put = await fetch(`${gateway.baseUrl}${budget}`, { method: 'PUT', headers, body: '{"limit_rub":5}' });
    expect(put.status).toBeLessThan(300);
    const { data } = (await (await get(gateway, budget, gateway.managementKey)).json()) as {
      data: { limit_rub: string };
    };
    expect(data.limit_rub).toBe('5');
  });
});
