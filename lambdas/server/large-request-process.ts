/**
 * Runs a second process for large requests. Reading, checking and translating several megabytes takes so much CPU time
 * that other streams would pause. The first process forwards the bytes of a large request and of its answer, without
 * parsing them.
 *
 * Guarantee: if the first process ends, the second process ends within about a second. If only the second process ends,
 * its requests fail, and the next large request starts a new one.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { gatewayStopping } from '../platform/errors.ts';
import { log } from '../platform/logger.ts';
import type { Arrival } from './http-events.ts';
import type { Origin } from './origin.ts';
import { dropRest } from './refusals.ts';

export interface LargeRequestProcess {
  /**
   * Forwards a request to the second process, and its answer to the client.
   * @param head bytes of the body that were already read
   */
  forward: (arrival: Arrival, head: Buffer, response: ServerResponse) => Promise<void>;
  /** Ends the second process, and waits for its end. */
  stop: () => Promise<void>;
}

/** Header with the origin of a request from the first process. A client's header with this name is dropped. */
const ORIGIN_HEADER = 'x-gateway-origin';
/** Headers that are not forwarded. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'expect', 'upgrade', ORIGIN_HEADER]);
/** Error codes of connecting to a process that has ended or is ending. */
const NOT_LISTENING = new Set<string | undefined>(['ECONNREFUSED', 'ENOENT']);

/**
 * Returns the handle of a second process, which its first request starts.
 * @param program file that behaves like `main.ts` when started with `--beside` and a socket path
 * @param socketPath path of the socket on which the second process listens; no other user may be able to connect
 */
export function largeRequestProcessOf(program: string, socketPath: string): LargeRequestProcess {
  let starting: Promise<ChildProcess> | undefined;
  let isStopping = false;

  async function start(): Promise<ChildProcess> {
    const child = fork(program, ['--beside', socketPath]);
    const ended = once(child, 'exit');
    void ended.then(() => (starting = undefined));
    const isReady = once(child, 'message').then(() => true);
    if (!(await Promise.race([isReady, ended.then(() => false)])))
      throw new Error('The process for large requests did not start');
    return child;
  }

  function started(): Promise<ChildProcess> {
    return (starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw error;
    }));
  }

  /** Opens a new connection. A reused idle connection would not show whether the process still listens. */
  async function connected(): Promise<Socket> {
    if (isStopping) throw gatewayStopping();
    const child = await started();
    return connect(socketPath).catch(async (error: NodeJS.ErrnoException) => {
      if (isStopping) throw gatewayStopping();
      if (!NOT_LISTENING.has(error.code)) throw error;
      if (!hasEnded(child)) await once(child, 'exit');
      await started();
      return connect(socketPath);
    });
  }

  return {
    forward: async (arrival, head, response) => forwardOver(await connected(), { arrival, head, response }),
    async stop() {
      isStopping = true;
      const child = await starting?.catch(() => undefined);
      if (!child || hasEnded(child)) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

interface Forwarded {
  arrival: Arrival;
  head: Buffer;
  response: ServerResponse;
}

async function forwardOver(socket: Socket, { arrival, head, response }: Forwarded): Promise<void> {
  const { request, origin } = arrival;
  const { method = 'POST', url: path = '/' } = request;
  const createConnection = (): Socket => socket;
  const passing = http.request({ createConnection, method, path, headers: forwardedHeaders(request, origin) });
  // Shows the second process that the client has disconnected.
  response.once('close', () => passing.destroy());
  const answered = once(passing, 'response') as Promise<[IncomingMessage]>;
  passing.write(head);
  // The second process may answer, or end, before it has read the whole body. The client's connection must then stay
  // open for the answer. Without `unpipe` before `resume`, the closed pipe would pause the request again.
  const flow = () => request.unpipe(passing).resume();
  passing.on('error', () => undefined);
  passing.once('close', flow);
  request.pipe(passing);
  const [answer] = await answered;
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(answer.statusCode!, forwardable(answer.rawHeaders));
  response.flushHeaders();
  try {
    await pipeline(answer, response, { end: false });
  } catch {
    log('warn', 'answer of the process for large requests interrupted');
    response.destroy();
    return;
  }
  // If the client were still sending its body, the close of the connection would be a reset, and the answer might be
  // lost.
  flow();
  await dropRest(request);
  response.end();
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * Connects to the second process.
 * @throws if the process does not listen
 */
async function connect(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath);
  await once(socket, 'connect');
  return socket;
}

/** Reads the origin of a request that the first process has forwarded. */
export function forwardedOrigin({ headers }: IncomingMessage): Origin {
  return JSON.parse(headers[ORIGIN_HEADER] as string) as Origin;
}

function forwardedHeaders({ rawHeaders }: IncomingMessage, origin: Origin): string[] {
  return [...forwardable(rawHeaders), ORIGIN_HEADER, JSON.stringify(origin)];
}

/** Returns the headers that are forwarded, as an alternating list of names and values. */
function forwardable(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}
