import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { functions } from '../../lambdas/routes.ts';
import { contained, containFaults } from './containment.ts';
import type { FunctionHost } from './function-host.ts';
import { importHandler } from './handlers.ts';
import { returnIdleMemory } from './idle-memory.ts';

type BufferedHandler = (event: unknown, context: Context) => Promise<unknown>;
type StreamingHandler = (event: unknown, response: ServerResponse, context: Context) => Promise<void>;

/**
 * The part of Lambda's own global that streaming handlers use: the response stream is the HTTP response itself, and the
 * metadata becomes its head.
 */
export function installStreamingGlobal(): void {
  const streaming = {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from(response: ServerResponse, metadata: { statusCode: number; headers?: Record<string, string> }) {
        // An escaped fault was already answered: nobody reads this answer, and its writer must learn that.
        if (response.headersSent) return response.destroy();
        response.writeHead(metadata.statusCode, metadata.headers);
        return response;
      },
    },
  };
  Object.assign(globalThis, { awslambda: streaming });
}

/** Loads handlers of the manifest into this process: the fastest way to run them, and to debug them. */
export async function startInProcessHost(names: string[]): Promise<FunctionHost> {
  installStreamingGlobal();
  containFaults();
  const handlers = new Map<string, BufferedHandler | StreamingHandler>();
  await Promise.all(
    names.map(async (name) => {
      const module = (await importHandler(name)) as { handler: BufferedHandler };
      handlers.set(name, module.handler);
    }),
  );
  const running = new Set<Promise<unknown>>();
  const answers = new Set<AbortController>();
  const memory = returnIdleMemory(() => running.size > 0);
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    memory.touch();
    return work.finally(() => {
      running.delete(work);
      memory.touch();
    });
  };
  return {
    invoke: (name, event) => track(contained(() => (handlers.get(name) as BufferedHandler)(event, newContext(name)))),
    stream: (name, event, response) => {
      // Each answer has a signal of its own, which ends with it: one for all would keep a listener of every answer.
      const stopping = new AbortController();
      answers.add(stopping);
      const context = { ...newContext(name), clientLeft: leavingOf(response), stopping: stopping.signal };
      const work = contained(() => (handlers.get(name) as StreamingHandler)(event, response, context as Context));
      return track(work).finally(() => answers.delete(stopping));
    },
    endAnswers() {
      for (const stopping of answers) stopping.abort();
    },
    async idle() {
      await Promise.allSettled(running);
    },
    stop: async () => memory.stop(),
  };
}

/** Aborts when the client closes its connection before its answer is whole. */
function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  return leaving.signal;
}

function newContext(name: string): Context {
  const deadline = performance.now() + functions[name]!.timeoutSeconds * 1000;
  return {
    functionName: name,
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - performance.now()),
  } as Context;
}
