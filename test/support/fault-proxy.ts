import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Faults that emulators do not have. "lost-reply": the write happens, but the client gets no reply. "delayed": the
 * client gets no reply, and the write happens when the test calls `deliver`. "unavailable": the service responds with
 * 503.
 */
export type TableFault = 'conflict' | 'throttle' | 'lost-reply' | 'delayed' | 'unavailable' | undefined;

/** A conflict on each item whose DynamoDB JSON contains the text `conflictsAt`. */
interface Conflict {
  conflictsAt: string;
  /** Cancellation reason; default: TransactionConflict. */
  code?: string;
}

export interface DynamodbCall {
  /** Name of the action, for example TransactWriteItems. */
  action: string;
  /** Path of the call, which may distinguish clients. */
  path: string;
  body: string;
}

export interface FaultProxy {
  endpoint: string;
  /** Address of the DynamoDB to which calls are passed on; tests may change it. */
  target: string;
  calls: DynamodbCall[];
  faultFor: (call: DynamodbCall, number: number) => TableFault | Conflict;
  /** Called before a request is passed on, except by `deliver`; the request waits for the returned promise. */
  before: (call: DynamodbCall) => Promise<void> | void;
  /** Called after a call was passed on (except by `deliver`), before the client gets the reply. */
  after: (call: DynamodbCall) => void;
  /** Executes all delayed calls, and returns their status codes in order. */
  deliver: () => Promise<number[]>;
  stop: () => Promise<void>;
}

/** Time in ms without a call after which related requests have ended. Clients pause for less time between them. */
const QUIET_MS = 300;

/** Resolves after QUIET_MS without calls. */
export async function untilQuiet({ calls }: FaultProxy): Promise<void> {
  for (let seen = -1; seen !== calls.length;) {
    seen = calls.length;
    await sleep(QUIET_MS);
  }
}

const agent = new http.Agent({ keepAlive: true });

/** Starts a proxy in front of DynamoDB that injects faults into HTTP traffic. */
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
