/** Streams that stay open, and get a chunk only on demand. */

import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mockAnswer, writers } from './mock-answers.ts';
import type { Target } from './load.ts';

/** A client recognizes a chunk by this text. */
const CHUNK_TEXT = 'some words';
const SHAPE = '100x20';

interface HeldStream {
  /** Sends a chunk. Resolves when the client has received it. */
  pass: () => Promise<void>;
  close: () => void;
}

export interface HoldingUpstream {
  /** Returns the base URL of a lane, which identifies the lane's streams. */
  urlOf: (lane: string) => string;
  open: (lane: string, target: Target, count: number) => Promise<HeldStream[]>;
  stop: () => void;
}

export async function startHoldingUpstream(): Promise<HoldingUpstream> {
  /** Callbacks for the next responses that begin, by lane. */
  const begun = new Map<string, ((response: ServerResponse, chunk: Buffer) => void)[]>();
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const { contentType, opening, chunks } = mockAnswer(writerOf(request), SHAPE);
      response.writeHead(200, { 'content-type': contentType }).write(opening);
      begun.get(laneOf(request))!.shift()!(response, chunks[0]!);
    });
  });
  const agent = new http.Agent({ maxSockets: Infinity });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function openOne(lane: string, target: Target): Promise<HeldStream> {
    const atProvider = new Promise<[ServerResponse, Buffer]>((resolve) => {
      begun.set(lane, [...(begun.get(lane) ?? []), (...held) => resolve(held)]);
    });
    // A gateway answers its client only after the provider's first output, so that output is sent first.
    const opened = openStream(target, agent);
    const [response, chunk] = await atProvider;
    response.write(chunk);
    const client = await opened;
    return {
      async pass() {
        const received = client.nextChunk();
        response.write(chunk);
        await received;
      },
      close() {
        client.close();
        response.destroy();
      },
    };
  }

  return {
    urlOf: (lane) => `http://127.0.0.1:${port}/${lane}`,
    async open(lane, target, count) {
      const streams: HeldStream[] = [];
      for (let index = 0; index < count; index += 1) streams.push(await openOne(lane, target));
      return streams;
    },
    stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

function writerOf({ url }: IncomingMessage) {
  return writers.find(([path]) => path.test(url!))![1];
}

function laneOf({ url }: IncomingMessage): string {
  return url!.split('/')[1]!;
}

/** Opens a stream; resolves after its first chunk, with functions that wait for the next chunk and close the stream. */
async function openStream(target: Target, agent: http.Agent) {
  const body = JSON.stringify({
    model: target.model,
    max_tokens: 10_000,
    stream: true,
    messages: [{ role: 'user', content: 'Say something about the weather.' }],
  });
  const headers = { ...target.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const request = http.request(target.url, { method: 'POST', agent, headers });
  request.on('error', () => {});
  request.end(body);
  let next = Promise.withResolvers<void>();
  request.on('response', (response) => {
    if (response.statusCode !== 200) throw new Error(`${target.url} answered ${response.statusCode}`);
    response.on('data', (chunk: Buffer) => {
      if (chunk.includes(CHUNK_TEXT)) next.resolve();
    });
    response.on('error', () => {});
  });
  await next.promise;
  return {
    nextChunk() {
      next = Promise.withResolvers();
      return next.promise;
    },
    close: () => void request.destroy(),
  };
}
