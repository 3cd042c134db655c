/**
 * A second process for large requests. Reading, checking and translating several megabytes takes a processor for a
 * quarter of a second, during which every other stream in the same process would pause. The first process forwards the
 * bytes of such a request and of its answer, without reading them.
 *
 * Guarantee: it ends together with the process that started it. If it ends alone, its requests fail, and the next large
 * request starts another one, even before the end is noticed.
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

export interface LargeRequestProcess {
  /**
   * Forwards a request to the process.
   * @param head the bytes of its body that were read already
   */
  forward: (arrival: Arrival, head: Buffer, response: ServerResponse) => Promise<void>;
  /** Waits until it has ended its answers, and then itself. */
  stop: () => Promise<void>;
}

/** Carries the first process's facts about a request. A client's header of this name is not forwarded. */
const ORIGIN_HEADER = 'x-gateway-origin';
/** Headers of the connection, not of the request. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'expect', 'upgrade', ORIGIN_HEADER]);
/**
 * Codes of a failed connection to a process that has ended or is ending: its last answer may be sent before its end is
 * noticed.
 */
const NOT_LISTENING = new Set<string | undefined>(['ECONNREFUSED', 'ENOENT']);

/**
 * Starts the process with the first request that needs it.
 * @param program a file that serves as `main.ts` does with `--beside` and a socket
 * @param socketPath where that process listens; no other user may be able to connect
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

  /** A new connection for each request: a kept one would not show whether the process still listens. */
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
    async forward({ request, origin }, head, response) {
      const socket = await connected();
      const { method = 'POST', url: path = '/' } = request;
      const createConnection = (): Socket => socket;
      const passing = http.request({ createConnection, method, path, headers: forwardedHeaders(request, origin) });
      // Closing this connection notifies the other process that the client has disconnected.
      response.once('close', () => passing.destroy());
      const answered = once(passing, 'response') as Promise<[IncomingMessage]>;
      passing.write(head);
      // A refusal may arrive before everything was sent. Then nothing reads the rest, and the answer counts.
      pipeline(request, passing).catch(() => undefined);
      const [answer] = await answered;
      response.writeHead(answer.statusCode!, forwardable(answer.rawHeaders));
      response.flushHeaders();
      await pipeline(answer, response).catch(() => {
        log('warn', 'an answer of the process for large requests broke off');
        response.destroy();
      });
    },
    async stop() {
      isStopping = true;
      const child = await starting?.catch(() => undefined);
      if (!child || hasEnded(child)) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * An open connection.
 * @throws if the process does not listen
 */
async function connect(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath);
  await once(socket, 'connect');
  return socket;
}

/** Reads, in the second process, the first one's facts about a request. */
export function forwardedOrigin({ headers }: IncomingMessage): Origin {
  return JSON.parse(headers[ORIGIN_HEADER] as string) as Origin;
}

function forwardedHeaders({ rawHeaders }: IncomingMessage, origin: Origin): string[] {
  return [...forwardable(rawHeaders), ORIGIN_HEADER, JSON.stringify(origin)];
}

/** Alternating names and values, as received. */
function forwardable(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}
