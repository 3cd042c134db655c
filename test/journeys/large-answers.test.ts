import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, startGateway, type RunningGateway } from '../support/gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const asked = async (path: string, encoding: string) =>
  fetch(`${gateway.baseUrl}${path}`, {
    headers: { 'accept-encoding': encoding, authorization: `Bearer ${gateway.managementKey}` },
  });

describe.each(['/models', '/models/user', '/embeddings/models', '/videos/models', '/openapi.json', '/docs'])(
  'GET %s',
  (path) => {
    it('is the same compressed, where the client takes it so, and not', async () => {
      const [small, whole] = [await asked(path, 'gzip'), await asked(path, 'identity')];

      expect(small.headers.get('content-encoding')).toBe('gzip');
      expect(whole.headers.get('content-encoding')).toBeNull();
      expect(await small.text()).toBe(await whole.text());
    });
  },
);

describe('a refusal of a route that compresses', () => {
  it.each([
    ['/models?sort=nothing', 400],
    ['/activity?date=yesterday', 400],
  ])('is a plain text: %s', async (path, status) => {
    const response = await asked(path, 'gzip');

    expect(response.status).toBe(status);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toMatchObject({ type: 'error' });
  });

  it('is a 401 for a wrong key', async () => {
    expect((await get(gateway, '/keys', 'mk-mg-v1-wrong')).status).toBe(401);
  });
});

it('caches are told both what an answer depends on', async () => {
  const response = await fetch(`${gateway.baseUrl}/models`, {
    headers: { 'accept-encoding': 'gzip', origin: 'https://example.com' },
  });

  expect(response.headers.get('vary')).toBe('accept-encoding');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});
