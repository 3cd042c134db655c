import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Secrets Manager with injected faults, for the calls that functions make. */
export interface DrilledSecrets {
  endpoint: string;
  /** Secrets by name; other names get the error that the secret was not found. */
  secrets: Map<string, string>;
  state: 'answering' | 'refusing' | 'unreachable';
  stop: () => Promise<void>;
}

export async function startSecretsManager(secrets: Map<string, string>): Promise<DrilledSecrets> {
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const manager: DrilledSecrets = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secrets,
    state: 'answering',
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { SecretId: name, VersionStage: stage } = JSON.parse(await text(request)) as Record<string, string>;
    if (manager.state === 'unreachable') return void request.socket.destroy();
    // No secret in this emulator has a previous version.
    const secret = stage === undefined ? manager.secrets.get(name!) : undefined;
    const refusal =
      manager.state === 'refusing'
        ? 'AccessDeniedException'
        : secret === undefined
          ? 'ResourceNotFoundException'
          : undefined;
    response.writeHead(refusal ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(refusal ? { __type: refusal } : { SecretString: secret }));
  }

  return manager;
}
