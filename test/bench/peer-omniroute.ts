/** OmniRoute, with keys, budgets and costs in its SQLite database. */

import { join } from 'node:path';
import { defaultPrices, shapes } from './bench-catalog.ts';
import { manage, type LimitedKey, type Peer, type Setup } from './peer.ts';

const PASSWORD = 'bench-password';

export const omniroute: Peer = {
  name: 'omniroute',
  program: 'omniroute/node_modules/omniroute/bin/omniroute.mjs',
  start(program, setup) {
    const { directory, port } = setup;
    return {
      command: ['node', program, '--no-open', '--port', String(port)],
      url: `http://127.0.0.1:${port}/v1/messages`,
      headers: {},
      env: {
        // Its SQLite does not run on Node 24, so a Node 22 is installed with it.
        PATH: `${join(program, '../../../.bin')}:${process.env['PATH']}`,
        DATA_DIR: join(directory, 'omniroute'),
        JWT_SECRET: 'bench-secret-of-at-least-32-characters',
        API_KEY_SECRET: 'bench-secret-of-at-least-32-characters',
        INITIAL_PASSWORD: PASSWORD,
        REQUIRE_API_KEY: 'true',
        OMNIROUTE_ALLOW_PRIVATE_PROVIDER_URLS: 'true',
      },
      readyAt: `http://127.0.0.1:${port}/api/monitoring/health`,
      runsIn: 'child',
      modelPrefix: 'bench/',
      async prepare() {
        await createProvider(setup);
        return (await newLimitedKey(setup, 1_000_000)).headers;
      },
    };
  },
  newLimitedKey,
};

/** Settings of OmniRoute's request queue, which by default sends at most 100 requests in a minute. */
const requestQueue = { requestsPerMinute: 1_000_000, minTimeBetweenRequestsMs: 0, concurrentRequests: 10_000 };

/** Creates the mock as a provider, with prices in USD per million tokens. */
async function createProvider({ upstreamUrl, port, prices = defaultPrices }: Setup): Promise<void> {
  const url = `http://127.0.0.1:${port}/api`;
  const headers = await signIn(port);
  const { node } = await manage<{ node: { id: string } }>(`${url}/provider-nodes`, {
    headers,
    body: { name: 'bench', prefix: 'bench', type: 'anthropic-compatible', baseUrl: `${upstreamUrl}/v1` },
  });
  await manage(`${url}/providers`, { headers, body: { provider: node.id, name: 'bench', apiKey: 'x' } });
  const pricing = { input: prices.prompt * 1_000_000, output: prices.completion * 1_000_000 };
  const models = Object.fromEntries(shapes.map((shape) => [shape, pricing]));
  await manage(`${url}/resilience`, { method: 'PATCH', headers, body: { requestQueue } });
  await manage(`${url}/pricing`, { method: 'PATCH', headers, body: { [node.id]: models } });
}

async function newLimitedKey({ port }: Setup, limit: number): Promise<LimitedKey> {
  const url = `http://127.0.0.1:${port}/api`;
  const headers = await signIn(port);
  const { id, key } = await manage<{ id: string; key: string }>(`${url}/keys`, { headers, body: { name: 'bench' } });
  await manage(`${url}/usage/budget`, { headers, body: { apiKeyId: id, dailyLimitUsd: limit } });
  return {
    headers: { authorization: `Bearer ${key}` },
    async recorded() {
      const budget = `${url}/usage/budget?apiKeyId=${id}`;
      return (await manage<{ totalCostToday: number }>(budget, { method: 'GET', headers })).totalCostToday;
    },
  };
}

async function signIn(port: number): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`OmniRoute refused to sign in: ${await response.text()}`);
  return {
    cookie: response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  };
}
