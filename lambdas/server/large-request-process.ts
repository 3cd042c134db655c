/**
 * A second process for large requests. Reading, checking and translating one of several megabytes takes a processor for a quarter of a
 * second; in the same process every other stream would stand still for that time. The first process passes the bytes of such a
 * request on, and those of its answer back, and looks at none of them.
 *
 * Guarantee: it ends with the process that started it. One that ends by itself fails the requests that it has, and the next large request
 * starts another, even where it comes before the end is known.
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
  /** Has a request answered there. @param head what was read of its body */
  forward: (arrival: Arrival, head: Buffer, response: ServerResponse) => Promise<void>;
  /** Lets it end its answers, and then itself. */
  stop: () => Promise<void>;
}

/** Between the two processes, what the first one knows of a request. No client's header of this name comes through. */
const ORIGIN_HEADER = 'x-gateway-origin';
/** They are of one connection, and not of the request. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'expect', 'upgrade', ORIGIN_HEADER]);
/** What connecting to a process fails with that has ended, or is about to: its last answer may be over before its end is known. */
const NOBODY_LISTENS = new Set<string | undefined>(['ECONNREFUSED', 'ENOENT']);

/**
 * Starts the process with the first request that needs it.
 * @param program a file that answers as `main.ts` does when it is given `--beside` and a socket
 * @param socketPath where that process listens; nobody else may be able to connect
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

  /** A connection of its own for each request: one that was kept would not tell whether the process still listens. */
  async function connected(): Promise<Socket> {
    if (isStopping) throw gatewayStopping();
    const child = await started();
    return connect(socketPath).catch(async (error: NodeJS.ErrnoException) => {
      if (isStopping) throw gatewayStopping();
      if (!NOBODY_LISTENS.has(error.code)) throw error;
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
      // The client's leaving reaches the other process as the end of this connection.
      response.once('close', () => passing.destroy());
      const answered = once(passing, 'response') as Promise<[IncomingMessage]>;
      passing.write(head);
      // A refusal may come before all was sent: then the rest has no reader, and the answer is what counts.
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

/** A connection that stands. @throws where nobody listens */
async function connect(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath);
  await once(socket, 'connect');
  return socket;
}

/** In that process: what the first one has said of a request. */
export function forwardedOrigin({ headers }: IncomingMessage): Origin {
  return JSON.parse(headers[ORIGIN_HEADER] as string) as Origin;
}

function forwardedHeaders({ rawHeaders }: IncomingMessage, origin: Origin): string[] {
  return [...forwardable(rawHeaders), ORIGIN_HEADER, JSON.stringify(origin)];
}

/** Names and values in turn, as they came. */
function forwardable(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}
