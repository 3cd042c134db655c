/** Upstream servers that a test calls without a gateway. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { readText } from '../../lambdas/providers/http/read-text.ts';
import { UpstreamRequest, type Timeouts, type UpstreamTarget } from '../../lambdas/providers/http/upstream-http.ts';
import { listen } from './listen.ts';

const running: (() => Promise<unknown>)[] = [];

export async function stopUpstreams(): Promise<void> {
  for (const stop of running.splice(0)) await stop();
}

/** URL of an upstream server, with the connections and bodies that it has received. */
export interface Seen {
  url: string;
  connections: Socket[];
  bodies: string[];
}

/**
 * Starts an HTTP server.
 * @param answer called with each complete request and the number of earlier requests
 */
export async function upstream(
  answer: (response: ServerResponse, request: IncomingMessage, before: number) => unknown,
): Promise<Seen> {
  const seen: Seen = { url: '', connections: [], bodies: [] };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      seen.bodies.push(Buffer.concat(chunks).toString());
      await answer(response, request, seen.bodies.length - 1);
    })();
  });
  server.on('connection', (socket) => seen.connections.push(socket));
  const { url, stop } = await listen(server);
  running.push(stop);
  seen.url = url;
  return seen;
}

export async function rawUpstream(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; port: number; stop: () => Promise<void> }> {
  const sockets: Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  running.push(stop);
  const { port } = server.address() as net.AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, stop };
}

const patient: Timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };

export function requestTo(
  url: string,
  timeouts: Partial<Timeouts> = {},
  signal?: AbortSignal,
  authorize?: UpstreamTarget['authorize'],
): UpstreamRequest {
  const target = { url, headers: {}, authorize, timeouts: { ...patient, ...timeouts } };
  return new UpstreamRequest(target, signal ?? new AbortController().signal);
}

/** Sends a text through the gateway's HTTP client, and returns the response's body. */
export async function exchange(url: string, text = 'x'): Promise<string> {
  const { body } = await requestTo(url).send(text);
  return readText(body, Infinity);
}

/** Waits for one turn of the event loop. Then a connection whose response was read is in the pool. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function gone(connection: Socket | undefined): Promise<void> {
  return new Promise((resolve) => (connection!.destroyed ? resolve() : connection!.once('close', () => resolve())));
}
