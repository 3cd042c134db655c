/** LiteLLM's proxy. With DATABASE_URL, it keeps accounts: keys, budgets and spend in PostgreSQL. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPrices, shapes } from './bench-catalog.ts';
import { manage, type LimitedKey, type Peer, type Setup } from './peer.ts';

const MASTER_KEY = 'sk-bench';
const managing = { authorization: `Bearer ${MASTER_KEY}` };

export const litellm: Peer = {
  name: 'litellm',
  program: 'litellm/bin/litellm',
  start(program, setup) {
    const { directory, upstreamUrl, port, prices = defaultPrices } = setup;
    const models = shapes.map((shape) => ({
      model_name: shape,
      litellm_params: {
        model: `anthropic/${shape}`,
        api_base: upstreamUrl,
        api_key: 'x',
        input_cost_per_token: prices.prompt,
        output_cost_per_token: prices.completion,
      },
    }));
    const config = join(directory, 'litellm.yaml');
    // JSON is YAML, too.
    writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: MASTER_KEY } }));
    const address = ['--host', '127.0.0.1', '--port', String(port)];
    return {
      command: [join(program, '../python3'), program, '--config', config, ...address],
      url: `http://127.0.0.1:${port}/v1/messages`,
      headers: { 'x-api-key': MASTER_KEY },
      // Without the first variable, the proxy downloads a list of prices.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
      readyAt: `http://127.0.0.1:${port}/health/liveliness`,
      runsIn: 'other',
      ...(keepsAccounts() ? { prepare: async () => (await newLimitedKey(setup, 1_000_000)).headers } : {}),
    };
  },
  ...(keepsAccounts() ? { newLimitedKey } : {}),
};

function keepsAccounts(): boolean {
  return process.env['DATABASE_URL'] !== undefined;
}

async function newLimitedKey({ port }: Setup, limit: number): Promise<LimitedKey> {
  const { key } = await manage<{ key: string }>(`http://127.0.0.1:${port}/key/generate`, {
    headers: managing,
    body: { max_budget: limit },
  });
  return {
    headers: { 'x-api-key': key },
    async recorded() {
      const url = `http://127.0.0.1:${port}/key/info?key=${key}`;
      return (await manage<{ info: { spend: number } }>(url, { method: 'GET', headers: managing })).info.spend;
    },
  };
}
