/** Gateway between real agents and the strict provider, with the agents' requests. */

import { createServer, request as forward } from 'node:http';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { configurations } from '../../../lib/admin/clients/configurations.ts';
import { modelFacts } from '../../../lib/admin/clients/model-facts.ts';
import { startGateway } from '../../support/gateway.ts';
import { listen } from '../../support/listen.ts';
import { redirectedCatalog } from './redirected-catalog.ts';
import { bytesOf, startStrictProvider, type Session, type SessionLog } from './strict-provider.ts';

interface Sent {
  path: string;
  encoding: string | undefined;
  status: number;
  /** Whether the body requests a stream; false for a compressed body. */
  isStreamed: boolean;
}

export interface WatchedGateway {
  key: string;
  /** Base URL of the functions, with /v1. */
  baseUrl: string;
  /** Base URL of the server, which accepts compressed requests, with /v1. */
  serverUrl: string;
  begin: (session: Session) => SessionLog;
  /** Requests since the session began. */
  sent: () => readonly Sent[];
  /**
   * Text that `admin clients` prints.
   * @param contextTokens replaces the context length of the catalog
   */
  configuration: (client: string, model: string, contextTokens?: number) => string;
  stop: () => Promise<void>;
}

/** Providers to which the gateway may send the tests' requests. */
const credentials = {
  ANTHROPIC_API_KEY: 'k',
  BEDROCK_AWS_CREDENTIAL: 'id:secret',
  DASHSCOPE_API_KEY: 'k',
  DEEPSEEK_API_KEY: 'k',
  GEMINI_API_KEY: 'k',
  OPENAI_API_KEY: 'k',
};

export async function startWatchedGateway(): Promise<WatchedGateway> {
  const provider = await startStrictProvider();
  const catalog = redirectedCatalog(provider.url);
  const gateway = await startGateway({ args: ['--web', '--catalog', catalog.path], env: credentials });
  let sent: Sent[] = [];
  const watchAt = (url: string) => listen(watchOf(new URL(url), (one) => sent.push(one)));
  const [watch, serverWatch] = await Promise.all([watchAt(gateway.baseUrl), watchAt(gateway.webUrl)]);
  const baseUrl = `${watch.url}/v1`;
  return {
    key: gateway.key,
    baseUrl,
    serverUrl: `${serverWatch.url}/v1`,
    begin: (session) => {
      sent = [];
      return provider.begin(session);
    },
    sent: () => sent,
    configuration: (client, model, contextTokens) => {
      const facts = modelFacts(readCatalogFiles(catalog.path), model)!;
      const known = contextTokens === undefined ? facts : { ...facts, contextTokens };
      return configurations.find(({ name }) => name === client)!.text({ baseUrl, model, facts: known });
    },
    stop: async () => {
      await watch.stop();
      await serverWatch.stop();
      await gateway.stop();
      await provider.stop();
      catalog.remove();
    },
  };
}

function watchOf({ hostname, port }: URL, note: (sent: Sent) => void) {
  return createServer((request, response) => {
    void bytesOf(request).then((body) => {
      const { method, url = '', headers } = request;
      const upstream = forward({ hostname, port, path: url, method, headers }, (answer) => {
        note({
          path: url,
          encoding: headers['content-encoding'],
          status: answer.statusCode!,
          isStreamed: body.includes('"stream":true'),
        });
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      upstream.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      upstream.end(body);
    });
  });
}
