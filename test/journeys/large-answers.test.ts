import { beforeAll, describe, expect, it } from 'vitest';
import { manage } from '../support/manage.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { get, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const asked = async (path: string, encoding: string) =>
  fetch(`${gateway.baseUrl}${path}`, {
    headers: { 'accept-encoding': encoding, authorization: `Bearer ${gateway.managementKey}` },
  });

describe.each([
  '/models',
  '/models/user',
  '/embeddings/models',
  '/videos/models',
  '/openapi.json',
  '/docs.md',
  '/docs/viewer.js',
])('GET %s', (path) => {
  it('returns the same with compression, if the client accepts it, and without', async () => {
    const [small, whole] = [await asked(path, 'gzip'), await asked(path, 'identity')];

    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(whole.headers.get('content-encoding')).toBeNull();
    expect(await small.text()).toBe(await whole.text());
  });
});

it.each(['/keys', '/activity'])(
  'GET %s is compressed from 1,400 characters, and is refused for an unknown key',
  async (path) => {
    for (const name of ['a', 'b', 'c']) await manage(gateway, 'POST', '/keys', { name });
    const [small, whole] = [await asked(path, 'gzip'), await asked(path, 'identity')];
    const text = await whole.text();

    expect(await small.text()).toBe(text);
    expect(small.headers.get('content-encoding')).toBe(text.length >= 1_400 ? 'gzip' : null);
    expect((await get(gateway, path, 'mk-mg-v1-wrong')).status).toBe(401);
  },
);
