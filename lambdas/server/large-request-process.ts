/**
 * Runs a second process for large requests. Reading, checking and translating several megabytes takes so much CPU time
 * that all other streams of the process would pause noticeably. The first process therefore forwards the bytes of a
 * large request and of its answer, without parsing them.
 *
 * Guarantee: the second process ends together with the first. If only the second process ends, its requests fail, and
 * the next large request starts a new process, even if the first process has not noticed the end yet.
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
   * Forwards a request to the second process.
   * @param head bytes of the body that were already read
   */
  forward: (arrival: Arrival, head: Buffer, response: ServerResponse) => Promise<void>;
  /** Ends the second process, and waits until its answers and the process have ended. */
  stop: () => Promise<void>;
}

/**
 * Header with the origin of a request, as determined by the first process. If a client sends this header, it is
 * dropped.
 */
const ORIGIN_HEADER = 'x-gateway-origin';
/** Headers that are not forwarded: headers that concern only one connection, and ORIGIN_HEADER. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'expect', 'upgrade', ORIGIN_HEADER]);
/**
 * Error codes of connecting to a process that has ended or is ending. The first process might not have detected this
 * yet.
 */
const NOT_LISTENING = new Set<string | undefined>(['ECONNREFUSED', 'ENOENT']);

/**
 * Returns the handle of a second process, which is started by its first request.
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

  /**
   * Returns a new connection for each request. A reused idle connection would not show whether the process still
   * listens.
   */
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
  /** Bytes of the body that were already read. */
  head: Buffer;
  response: ServerResponse;
}

/** Sends a request to the second process, and its answer to the client. */
async function forwardOver(socket: Socket, { arrival, head, response }: Forwarded): Promise<void> {
  const { request, origin } = arrival;
  const { method = 'POST', url: path = '/' } = request;
  const createConnection = (): Socket => socket;
  const passing = http.request({ createConnection, method, path, headers: forwardedHeaders(request, origin) });
  // Closing this connection shows the second process that the client has disconnected.
  response.once('close', () => passing.destroy());
  const answered = once(passing, 'response') as Promise<[IncomingMessage]>;
  passing.write(head);
  // The second process may refuse a request before it has read the whole body, or end. The client's connection must
  // then stay open for the answer, and the rest of the body is dropped. Without `unpipe` before `resume`, the closed
  // pipe would pause the request again.
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
  // The end of the answer closes the connection. If the client were still sending its body, the close would be a
  // reset, and the client might lose the answer.
  flow();
  await dropRest(request);
  response.end();
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * Opens a connection to the second process.
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

/** Returns the headers to forward, as an alternating list of names and values. */
function forwardable(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}
