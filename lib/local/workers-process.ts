/**
 * Runs workers in a separate process, so that settlements use another CPU core.
 *
 * Guarantee: the workers' process ends together with the gateway, even if the gateway is killed. If the process ends by
 * itself, it is restarted, and its current batches are delivered again after their visibility timeout.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { log } from '../../lambdas/platform/logger.ts';
import { adoptChild } from '../shared/children.ts';
import { StartFailure } from '../shared/failure.ts';
import { programs } from './programs.ts';
import { endPolls, type LocalSqs } from './queues.ts';
import type { Connections, Workers } from './workers.ts';

/** Message from the gateway to the workers' process. */
export type Order =
  | { order: 'invoke'; id: number; name: string; event: unknown }
  | ({ order: 'connect' } & Connections)
  | { order: 'stop' };

/** Message from the workers' process: it is ready, or an invocation has ended. */
export type Report = { ready: true } | { id: number; error?: string };

const RESTART_MS = 1_000;

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Starts the workers' process.
 * @param dataDirectory of the gateway to which the process belongs
 * @param sqs emulator whose queues the process polls
 * @throws {StartFailure} if the process does not start
 */
export async function startWorkersProcess(dataDirectory: string, sqs: LocalSqs): Promise<Workers> {
  const waiting = new Map<number, Waiting>();
  let connections: Connections | undefined;
  let calls = 0;
  let isStopping = false;
  let child = await start();

  async function start(): Promise<ChildProcess> {
    // The workers have their own process group, so that Ctrl-C does not end them before the gateway's last requests
    // have sent messages.
    const started = adoptChild(
      fork(programs.workers, [dataDirectory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true }),
    );
    const ended = once(started, 'exit');
    await Promise.race([
      once(started, 'message'),
      ended.then(() => Promise.reject(new StartFailure('The workers did not start. See their output above.'))),
    ]);
    started.on('message', (report: Report) => 'id' in report && settle(report));
    void ended.then(() => (isStopping ? undefined : restart()));
    return started;
  }

  function settle({ id, error }: { id: number; error?: string }): void {
    if (error === undefined) waiting.get(id)?.resolve();
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  }

  async function restart(): Promise<void> {
    log('error', 'the workers ended, and are started again');
    for (const id of waiting.keys()) settle({ id, error: 'The workers ended' });
    const polled = connections?.queueSources.map(({ queue }) => connections!.queueUrls[queue]!) ?? [];
    void endPolls(sqs, polled);
    await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    if (isStopping) return;
    try {
      child = await start();
    } catch {
      return restart();
    }
    if (connections) sendOrder({ order: 'connect', ...connections });
  }

  function sendOrder(order: Order): void {
    child.send(order);
  }

  return {
    async invoke(name, event) {
      calls += 1;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.set(calls, { resolve, reject });
      sendOrder({ order: 'invoke', id: calls, name, event });
      await promise;
    },
    connect(to) {
      connections = to;
      sendOrder({ order: 'connect', ...to });
    },
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      sendOrder({ order: 'stop' });
      await once(child, 'exit');
    },
  };
}
