import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { onceOpen } from '../platform/concurrency/once.ts';
import type { EntryPoint } from '../platform/metrics.ts';
import { functions } from '../routes.ts';
import { contained, containFaults } from './containment.ts';
import type { FunctionHost } from './function-host.ts';
import { leavingOf } from './leaving.ts';
import { returnIdleMemory } from './idle-memory.ts';
import { installStreamingGlobal } from './streaming-global.ts';

type BufferedHandler = (event: unknown, context: Context) => Promise<unknown>;
type StreamingHandler = (event: unknown, response: ServerResponse, context: Context) => Promise<void>;

export type ImportHandler = (name: string) => Promise<unknown>;

/**
 * Maximum duration of an answer in seconds, even if its function may run longer. AWS ends a request of Lambda after
 * fifteen minutes.
 */
const LONGEST_ANSWER_SECONDS = 885;

/**
 * Runs functions of the manifest in this process, concurrently.
 *
 * Guarantee: an uncaught error fails only its own request, and a request is notified when its client disconnects.
 * @param names functions to load before the first request; others are loaded on first use
 */
export async function startInProcessHost(names: string[], importHandler: ImportHandler): Promise<FunctionHost> {
  installStreamingGlobal();
  containFaults();
  const loaders = new Map<string, () => Promise<unknown>>();
  const load = async <Handler>(name: string): Promise<Handler> => {
    const loader = loaders.get(name) ?? onceOpen(() => importHandler(name));
    loaders.set(name, loader);
    return ((await loader()) as { handler: Handler }).handler;
  };
  await Promise.all(names.map((name) => load(name)));
  const running = new Set<Promise<unknown>>();
  const answers = new Set<AbortController>();
  let isEnding = false;
  const memory = returnIdleMemory(() => running.size > 0);
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    memory.touch();
    return work.finally(() => {
      running.delete(work);
      memory.touch();
    });
  };
  /** Each answer has its own signal, because a shared signal would keep the listeners of all answers. */
  const untilStopped = <Result>(work: (stopping: AbortSignal) => Promise<Result>): Promise<Result> => {
    const stopping = new AbortController();
    if (isEnding) stopping.abort();
    answers.add(stopping);
    return track(contained(() => work(stopping.signal))).finally(() => answers.delete(stopping));
  };
  return {
    invoke: (name, event, clientLeft) =>
      untilStopped(async (stopping) => {
        const handler = await load<BufferedHandler>(name);
        return handler(event, { ...newContext(name), clientLeft, stopping } as Context);
      }),
    stream: (name, event, response) =>
      untilStopped(async (stopping) => {
        const clientLeft = leavingOf(response);
        const handler = await load<StreamingHandler>(name);
        await handler(event, response, { ...newContext(name), clientLeft, stopping } as Context);
      }),
    endAnswers() {
      isEnding = true;
      for (const stopping of answers) stopping.abort();
    },
    async idle() {
      await Promise.allSettled(running);
    },
    stop: async () => memory.stop(),
  };
}

function newContext(name: string): Context {
  const seconds = Math.min(functions[name]!.timeoutSeconds, LONGEST_ANSWER_SECONDS);
  const deadline = performance.now() + seconds * 1000;
  const context: Partial<Context> & { entryPoint: EntryPoint } = {
    functionName: name,
    entryPoint: 'web',
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - performance.now()),
  };
  return context as Context;
}
