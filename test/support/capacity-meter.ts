import { once } from 'node:events';
import http, { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Proxy in front of DynamoDB that counts requests and consumed units. */
export interface CapacityMeter {
  endpoint: string;
  calls: Record<string, number>;
  units: number;
  reset: () => void;
  stop: () => void;
}

const agent = new http.Agent({ keepAlive: true });

export async function startCapacityMeter(target: string): Promise<CapacityMeter> {
  const server = createServer((request, response) => {
    void (async () => {
      const action = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const body = JSON.parse((await read(request)).toString()) as object;
      const asking = Buffer.from(JSON.stringify({ ...body, ReturnConsumedCapacity: 'TOTAL' }));
      const outgoing = http.request(target, {
        method: 'POST',
        agent,
        headers: { ...request.headers, 'content-length': asking.length },
      });
      outgoing.end(asking);
      const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
      const text = await read(reply);
      meter.calls[action] = (meter.calls[action] ?? 0) + 1;
      meter.units += consumed(JSON.parse(text.toString() || '{}') as { ConsumedCapacity?: unknown });
      response.writeHead(reply.statusCode!, reply.headers);
      response.end(text);
    })().catch(() => response.destroy());
  });
  const meter: CapacityMeter = {
    endpoint: '',
    calls: {},
    units: 0,
    reset() {
      meter.calls = {};
      meter.units = 0;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  meter.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return meter;
}

function consumed({ ConsumedCapacity: capacity }: { ConsumedCapacity?: unknown }): number {
  const all = (Array.isArray(capacity) ? capacity : capacity ? [capacity] : []) as { CapacityUnits?: number }[];
  return all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
