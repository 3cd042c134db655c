/**
 * Providers in the process of the history, so that a stream continues while the front process of the gateway is dead.
 */

import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../lib/local/sandbox/server.ts';
import { catalogDirectory, shippedCatalog, textModel } from '../support/catalog.ts';
import { listen } from '../support/listen.ts';

export interface OutsideProviders {
  catalogPath: string;
  stop: () => Promise<void>;
}

const pricing = { prompt: '0.0003', completion: '0.0015' };
/** One of this many requests to the flaky provider fails. */
const FAILS_EVERY = 3;

const providerAt = (id: string, url: string) => ({
  id,
  name: id,
  wire: 'anthropic',
  base_url: url,
  data_policy: { logs_prompts: false, trains_on_prompts: false },
});

/**
 * Returns a catalog with the sandbox's models, `outside/claude`, and `outside/fallback`, whose first provider is flaky.
 */
export async function startProviders(): Promise<OutsideProviders> {
  const sandbox = await startSandbox();
  const flaky = await startFlaky(sandbox.anthropicUrl);
  const outside = { provider: 'outside', upstream_model: 'claude', pricing };
  const shipped = JSON.parse(readFileSync(join(shippedCatalog, 'models', 'sandbox.json'), 'utf8')) as {
    models: object[];
  };
  const catalog = catalogDirectory(
    [
      ...shipped.models,
      textModel('outside/claude', [outside], { supported_parameters: ['max_tokens'] }),
      textModel('outside/fallback', [{ ...outside, provider: 'outside-flaky' }, outside], {
        supported_parameters: ['max_tokens'],
      }),
    ],
    [providerAt('outside', sandbox.anthropicUrl), providerAt('outside-flaky', flaky.url)],
  );
  return {
    catalogPath: catalog.path,
    async stop() {
      await flaky.stop();
      await sandbox.stop();
      catalog.remove();
    },
  };
}

/** Passes requests on, and fails some of them with a status or without an answer. */
function startFlaky(target: string) {
  let requests = 0;
  const server = http.createServer((incoming, outgoing) => {
    requests += 1;
    if (requests % FAILS_EVERY !== 0) return void passOn(target, incoming, outgoing).catch(() => outgoing.destroy());
    if (requests % (2 * FAILS_EVERY) === 0) return void incoming.socket.destroy();
    outgoing
      .writeHead(503, { 'content-type': 'application/json' })
      .end('{"type":"error","error":{"type":"api_error"}}');
  });
  return listen(server);
}

async function passOn(target: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { host: _, ...headers } = incoming.headers;
  const asking = http.request(`${target}${incoming.url}`, { method: incoming.method!, headers });
  incoming.pipe(asking);
  const [reply] = (await once(asking, 'response')) as [IncomingMessage];
  outgoing.writeHead(reply.statusCode!, reply.headers);
  reply.pipe(outgoing);
  outgoing.once('close', () => asking.destroy());
}
