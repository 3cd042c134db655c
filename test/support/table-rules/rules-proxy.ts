import { once } from 'node:events';
import http, { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { RequestBody } from './requests.ts';
import { TableRules, type Emulator, type RulesOptions } from './table-rules.ts';

export interface RulesProxy {
  endpoint: string;
  rules: TableRules;
  stop: () => Promise<void>;
}

/**
 * Starts a proxy in front of a DynamoDB emulator that enforces rules of the real service.
 * @param target address of the emulator
 * @param options.port default: any free port
 */
export async function startRulesProxy(
  target: string,
  options: RulesOptions & { port?: number } = {},
): Promise<RulesProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const emulator: Emulator = async (action, body) => {
    const reply = await exchange(target, agent, {
      method: 'POST',
      headers: emulatorHeaders(action),
      body: Buffer.from(JSON.stringify(body)),
    });
    const words = await text(reply);
    return { status: reply.statusCode!, body: (words === '' ? {} : JSON.parse(words)) as Record<string, unknown> };
  };
  const rules = new TableRules(emulator, options);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request);
    const action = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    if (action === undefined) return pass(request, sent, response);
    const answer = await rules.answer({ action, body: JSON.parse(sent.toString('utf8')) as RequestBody });
    if (!answer) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer.body));
  }

  async function pass({ method = 'GET', headers }: IncomingMessage, body: Buffer, response: ServerResponse) {
    const reply = await exchange(target, agent, { method, headers, body });
    response.writeHead(reply.statusCode!, reply.headers);
    reply.pipe(response);
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rules,
    async stop() {
      await rules.whenQuiet();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

/** Returns the headers of a call to the emulator, which accepts any signature. */
function emulatorHeaders(action: string): IncomingHttpHeaders {
  return {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${action}`,
    'x-amz-date': '20260101T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
  };
}

async function exchange(
  target: string,
  agent: http.Agent,
  { method, headers, body }: { method: string; headers: IncomingHttpHeaders; body: Buffer },
): Promise<IncomingMessage> {
  const { host: _, ...others } = headers;
  const outgoing = http.request(target, { method, agent, headers: { ...others, 'content-length': body.length } });
  outgoing.end(body);
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
  return reply;
}
