/**
 * Other gateways, as their documentation starts them. A gateway is measured only if it is installed in the directory of
 * `--peers`, with the commands of docs/figures.md.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapes } from './bench-catalog.ts';
import type { PeerOptions } from './lanes.ts';

/** Files and addresses with which a peer is started. */
interface Setup {
  /** Directory for configuration files. */
  directory: string;
  upstreamUrl: string;
  port: number;
}

interface Peer {
  name: string;
  /** File that exists if the peer is installed, relative to the directory of `--peers`. */
  program: string;
  start: (program: string, setup: Setup) => Omit<PeerOptions, 'name'>;
}

export const peers: readonly Peer[] = [
  {
    name: 'litellm',
    program: 'litellm/bin/litellm',
    start: (program, { directory, upstreamUrl, port }) => {
      const models = shapes.map((shape) => ({
        model_name: shape,
        litellm_params: { model: `anthropic/${shape}`, api_base: upstreamUrl, api_key: 'x', ...LITELLM_PRICES },
      }));
      const config = join(directory, 'litellm.yaml');
      // JSON is YAML, too.
      writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: 'sk-bench' } }));
      return {
        command: [
          join(program, '../python3'),
          program,
          '--config',
          config,
          '--host',
          '127.0.0.1',
          '--port',
          String(port),
        ],
        url: `http://127.0.0.1:${port}/v1/messages`,
        headers: { 'x-api-key': 'sk-bench' },
        // Without the first variable, the proxy downloads its list of prices.
        env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
        readyAt: `http://127.0.0.1:${port}/health/liveliness`,
        isNode: false,
      };
    },
  },
  {
    name: 'nullplatform',
    program: 'nullplatform/node_modules/@nullplatform/llm-gateway/dist/cli.js',
    start: (program, { directory, upstreamUrl, port }) => {
      const models = shapes.map((shape, index) => ({
        name: shape,
        isDefault: index === 0,
        provider: { type: 'anthropic', config: { apiKey: 'x', baseUrl: upstreamUrl } },
        modelConfig: { model: shape },
      }));
      const config = join(directory, 'nullplatform.json');
      const server = { host: '127.0.0.1', port };
      writeFileSync(config, JSON.stringify({ server, logging: { level: 'error' }, models }));
      return {
        command: [process.execPath, program, 'start', '--config', config],
        url: `http://127.0.0.1:${port}/anthropic/v1/messages`,
        headers: { 'x-api-key': 'x' },
        readyAt: `http://127.0.0.1:${port}/health`,
      };
    },
  },
];

const LITELLM_PRICES = { input_cost_per_token: 0.000_1, output_cost_per_token: 0.000_5 };

/** Returns the installed peers, and the names of the others. */
export function installedPeers(directory: string): { installed: Peer[]; missing: Peer[] } {
  const isInstalled = ({ program }: Peer) => existsSync(join(directory, program));
  return { installed: peers.filter(isInstalled), missing: peers.filter((peer) => !isInstalled(peer)) };
}
