/**
 * Workers in a process of their own, beside the one that answers: as on AWS, where a settlement takes nothing from a
 * request, and with the machine's second core.
 *
 * Guarantee: it ends with the gateway, however that ends, and is started again when it ends by itself. A batch that it
 * had then comes again when its visibility ends, as it does from Lambda.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { log } from '../../lambdas/platform/logger.ts';
import { adoptChild } from '../shared/children.ts';
import { StartFailure } from '../shared/failure.ts';
import { programs } from './programs.ts';
import type { Connections, Workers } from './workers.ts';

/** What the workers' process is told. */
export type Order =
  | { order: 'invoke'; id: number; name: string; event: unknown }
  | ({ order: 'connect' } & Connections)
  | { order: 'stop' };

/** What it says: that it is ready, or what became of a call. */
export type Report = { ready: true } | { id: number; error?: string };

const RESTART_MS = 1_000;

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * @param dataDirectory the directory of the gateway that it belongs to
 * @throws {StartFailure} when the process does not come up.
 */
export async function startWorkersProcess(dataDirectory: string): Promise<Workers> {
  const waiting = new Map<number, Waiting>();
  let connections: Connections | undefined;
  let calls = 0;
  let isStopping = false;
  let child = await start();

  async function start(): Promise<ChildProcess> {
    // In its own process group: Ctrl-C must reach the gateway first, whose last requests still send to the queues.
    const started = adoptChild(
      fork(programs.workers, [dataDirectory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true }),
    );
    const ended = once(started, 'exit');
    await Promise.race([
      once(started, 'message'),
      ended.then(() => Promise.reject(new StartFailure('The workers did not start.'))),
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
    await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    if (isStopping) return;
    try {
      child = await start();
    } catch {
      return restart();
    }
    if (connections) tell({ order: 'connect', ...connections });
  }

  function tell(order: Order): void {
    child.send(order);
  }

  return {
    async invoke(name, event) {
      calls += 1;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.set(calls, { resolve, reject });
      tell({ order: 'invoke', id: calls, name, event });
      await promise;
    },
    connect(to) {
      connections = to;
      tell({ order: 'connect', ...to });
    },
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      tell({ order: 'stop' });
      await once(child, 'exit');
    },
  };
}
