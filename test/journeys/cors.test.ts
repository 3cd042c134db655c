import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { startGateway, type RunningGateway, type GatewayClient } from '../support/gateway.ts';

const PAGE = 'https://app.example.org';
let open: GatewayClient;
let strict: RunningGateway;
beforeAll(async () => {
  [open, strict] = await Promise.all([
    commonGateway(),
    startGateway({ env: { CORS_ORIGINS: `${PAGE}, http://localhost:3000` } }),
  ]);
});
afterAll(() => strict.stop());

const ask = { model: 'sandbox/claude', max_tokens: 20, stream: true, messages: [{ role: 'user', content: 'Hi' }] };

/** Sends a preflight request, as a browser does. */
const mayI = (url: string, method: string, origin = PAGE) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,anthropic-version',
    },
  });

const send = (on: GatewayClient, url: string, origin: string) =>
  fetch(url, {
    method: 'POST',
    headers: { origin, 'x-api-key': on.key, 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  });

describe('a page of another origin', () => {
  it.each([
    ['the API', () => `${open.baseUrl}/messages`],
    ['the function URL', () => open.streamingUrl],
  ])('may send a message to %s, and read the stream', async (_, url) => {
    const permission = await mayI(url(), 'POST');
    expect(permission.status).toBe(204);
    expect(Object.fromEntries(permission.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type,anthropic-version',
    });
    const answer = await send(open, url(), PAGE);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')!.split(', ')).toEqual(
      expect.arrayContaining(['x-generation-id', 'etag', 'x-service-billing-status', 'idempotent-replayed']),
    );
    expect(await answer.text()).toContain('event: message_stop');
  });

  it('may read lists, refusals, and answers for unknown routes', async () => {
    for (const path of ['/models', '/key', '/nothing']) {
      const answer = await fetch(`${open.baseUrl}${path}`, { headers: { origin: PAGE } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('gets the methods of a path', async () => {
    const permission = await mayI(`${open.baseUrl}/keys/${'0'.repeat(64)}`, 'DELETE');
    expect(permission.headers.get('access-control-allow-methods')?.split(', ').toSorted()).toEqual([
      'DELETE',
      'GET',
      'PATCH',
    ]);
  });

  it('gets no permission for a header whose name has 3,000 characters', async () => {
    const permission = await fetch(`${open.baseUrl}/messages`, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x'.repeat(3_000),
      },
    });
    expect(permission.headers.has('access-control-allow-headers')).toBe(false);
  });
});

describe('a gateway with a list of page origins', () => {
  it('allows these origins, and varies caches by origin', async () => {
    const permission = await mayI(`${strict.baseUrl}/messages`, 'POST');
    expect(permission.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(permission.headers.get('vary')).toBe('origin');
    const answer = await send(strict, `${strict.baseUrl}/messages`, 'http://localhost:3000');
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    await answer.text();
  });

  it('declares to caches every header that an answer depends on', async () => {
    const { headers } = await fetch(`${strict.baseUrl}/models`, {
      headers: { 'accept-encoding': 'gzip', origin: PAGE },
    });

    expect(headers.get('vary')).toBe('accept-encoding, origin');
  });

  it('allows no other origin', async () => {
    const permission = await mayI(`${strict.baseUrl}/messages`, 'POST', 'https://evil.example');
    expect(permission.status).toBe(405);
    expect(permission.headers.has('access-control-allow-origin')).toBe(false);
    const answer = await send(strict, `${strict.baseUrl}/messages`, 'https://evil.example');
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    await answer.text();
  });
});

describe('a client without an origin', () => {
  it('gets no CORS header', async () => {
    const answer = await fetch(`${open.baseUrl}/models`);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
