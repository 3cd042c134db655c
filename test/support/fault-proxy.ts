import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What no emulator does by itself. "lost-reply": the write happens, and the client gets no reply. "delayed": the client
 * gets no reply either, and the write happens when the test says so. "unavailable": the service answers with 503.
 */
export type TableFault = 'conflict' | 'throttle' | 'lost-reply' | 'delayed' | 'unavailable' | undefined;

/** A transaction meets others at the items whose JSON has this text, and at no other, as DynamoDB tells it. */
interface Conflict {
  conflictsAt: string;
  /** TransactionConflict where it says nothing else. */
  code?: string;
}

export interface DynamodbCall {
  /** For example TransactWriteItems. */
  action: string;
  /** Where it was asked: a client may have a place of its own. */
  path: string;
  body: string;
}

export interface FaultProxy {
  endpoint: string;
  /** The DynamoDB that the calls go to; it may be another one from a moment on. */
  target: string;
  /** Every call that came through, in order. */
  calls: DynamodbCall[];
  /** Decides the fate of each call. */
  faultFor: (call: DynamodbCall, number: number) => TableFault | Conflict;
  /** A call goes on after this has resolved: so a test can put the calls of several clients in order. */
  before: (call: DynamodbCall) => Promise<void> | void;
  /** A call that went on has its reply. */
  after: (call: DynamodbCall) => void;
  /** Lets the delayed calls happen now. @returns their status codes, in the order in which they were made */
  deliver: () => Promise<number[]>;
  stop: () => Promise<void>;
}

/** No client pauses for so long between calls that belong together. */
const QUIET_MS = 300;

/** Resolves when no call has come for a while: what began before is done. */
export async function untilQuiet({ calls }: FaultProxy): Promise<void> {
  for (let seen = -1; seen !== calls.length;) {
    seen = calls.length;
    await sleep(QUIET_MS);
  }
}

const agent = new http.Agent({ keepAlive: true });

/** A proxy in front of DynamoDB that injects conflicts, throttling and lost replies into real HTTP traffic. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const delayed: (() => Promise<{ status: number }>)[] = [];
  const proxy: FaultProxy = {
    endpoint: '',
    target,
    calls: [],
    faultFor: () => undefined,
    before: () => undefined,
    after: () => undefined,
    async deliver() {
      const statuses: number[] = [];
      for (const send of delayed.splice(0)) statuses.push((await send()).status);
      return statuses;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const action = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const call = { action, path: request.url ?? '/', body: body.toString('utf8') };
    proxy.calls.push(call);
    const fault = proxy.faultFor(call, proxy.calls.length);
    if (fault === 'conflict')
      return sendTableError(
        response,
        conflict(call, () => true),
      );
    if (typeof fault === 'object')
      return sendTableError(
        response,
        conflict(call, (item) => item.includes(fault.conflictsAt), fault.code),
      );
    if (fault === 'unavailable') return void response.writeHead(503).end();
    if (fault === 'throttle') {
      return sendTableError(response, {
        __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      });
    }
    if (fault === 'delayed') {
      const { method, headers } = request;
      delayed.push(() => forward(proxy.target, { method, headers }, body));
      request.socket.destroy();
      return;
    }
    await proxy.before(call);
    const reply = await forward(proxy.target, request, body).finally(() => proxy.after(call));
    if (fault === 'lost-reply') {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

function sendTableError(response: ServerResponse, error: object): void {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(error));
}

function conflict(
  { action, body }: DynamodbCall,
  isAt: (item: string) => boolean,
  code = 'TransactionConflict',
): object {
  if (action !== 'TransactWriteItems') {
    return { __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException' };
  }
  const { TransactItems } = JSON.parse(body) as { TransactItems: unknown[] };
  return {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Transaction cancelled',
    CancellationReasons: TransactItems.map((item) => ({
      Code: isAt(JSON.stringify(item)) ? code : 'None',
    })),
  };
}

async function forward(target: string, request: Pick<IncomingMessage, 'method' | 'headers'>, body: Buffer) {
  const outgoing = http.request(target, { method: request.method!, headers: request.headers, agent });
  outgoing.end(body);
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of reply as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: reply.statusCode!, headers: reply.headers, body: Buffer.concat(chunks) };
}
