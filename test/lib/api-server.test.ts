import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { get, type GatewayClient } from '../support/gateway.ts';
import { sendRaw } from '../support/raw-http.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const names = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'];

describe('the local API server', () => {
  it.each(names)('treats a parameter with the name %s like any other', async (name) => {
    const named = await sendRaw(gateway.baseUrl, [`GET /v1/models?${name}=1 HTTP/1.1`]);
    const other = await sendRaw(gateway.baseUrl, ['GET /v1/models?another=1 HTTP/1.1']);
    expect(named.status).toBe(other.status);
    expect(named.status).toBeLessThan(500);
  });

  it.each(names)('accepts a repeated header with the name %s', async (name) => {
    const answer = await sendRaw(gateway.baseUrl, ['GET /v1/models HTTP/1.1', `${name}: x`, `${name}: y`]);
    expect(answer.status).toBe(200);
  });

  it.each([
    ['GET //', 404],
    ['GET http://[::zz/', 404],
    ['GET http://else.example/v1/nothing', 404],
    ['GET http://else.example/v1/health', 200],
    ['GET http://else.example', 404],
    ['GET /v1/health?', 200],
    ['GET /v1/health?a=%zz', 200],
    ['GET /v1/models/%zz', 404],
    ['OPTIONS *', 400],
  ])('answers %s with %i', async (line, status) => {
    const answer = await sendRaw(gateway.baseUrl, [`${line} HTTP/1.1`]);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatch(/^request-id: req_/m);
    if (status !== 200) expect(JSON.parse(answer.body)).toMatchObject({ type: 'error', error: { code: status } });
  });

  it.each([
    ['plain text', 'x', 5_500_000, 400],
    ['quotes, which are escaped', '"', 5_500_000, 413],
    ['quotes of half the size', '"', 2_500_000, 400],
    ['control characters', '\u0001', 1_200_000, 413],
    ['more than anybody takes', 'x', 6_500_000, 413],
  ])('measures the size of a body as Lambda does: %s', async (_, character, count, status) => {
    const answer = await fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: character.repeat(count),
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ type: 'error', error: { code: status } });
  });

  it('ignores the Host header of a client in addresses, unless it names this machine', async () => {
    const { host } = new URL(gateway.baseUrl);
    const hosts = [
      'evil.example',
      'evil.example:80',
      `127.0.0.1.evil.example`,
      `localhost:${new URL(gateway.baseUrl).port}`,
    ];
    const shown = await Promise.all(
      hosts.map(async (said) => {
        const headers = { host: said, 'x-api-key': gateway.key, 'content-type': 'application/json' };
        const sent = request(`${gateway.baseUrl}/videos`, { method: 'POST', headers });
        sent.end('{"model":"sandbox/filmmaker","prompt":"Rain"}');
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        const { polling_url: address } = JSON.parse(await text(response)) as { polling_url: string };
        return new URL(address).host;
      }),
    );

    expect(shown).toEqual([host, host, host, hosts[3]]);
  });

  it('gives an id to malformed requests too', async () => {
    const answer = await sendRaw(gateway.baseUrl, ['GARBAGE']);
    expect(answer.status).toBe(400);
    expect(answer.headers).toContain((JSON.parse(answer.body) as { request_id: string }).request_id);
  });

  it('does not resolve dots in a path: a member named ".." does not exist', async () => {
    const auth = `authorization: Bearer ${gateway.managementKey}`;
    const json = 'content-type: application/json';
    const budgets = `/workspaces/${gateway.workspaceId}/budgets`;
    for (const dots of ['..', '%2e%2e', '.', '\\..']) {
      const path = `/v1/workspaces/${gateway.workspaceId}/members/${dots}/budgets/daily`;
      const answer = await sendRaw(gateway.baseUrl, [`PUT ${path} HTTP/1.1`, auth, json], '{"limit_rub":5}');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    const { data } = (await (await get(gateway, budgets, gateway.managementKey)).json()) as { data: unknown[] };
    expect(data).toEqual([]);
  });
});

it.each([
  ['a character that must be percent-encoded', 'GET /v1/generation?id=gen-… HTTP/1.1', 'must be percent-encoded'],
  ['no HTTP at all', 'Good morning', 'This is not an HTTP request.'],
])('the local API server explains the fault of %s', async (_, line, sentence) => {
  const answer = await sendRaw(gateway.baseUrl, [line]);

  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.stringContaining(sentence) as string } });
});
