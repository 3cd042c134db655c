/** Runs the sandbox provider in a worker thread, so that its expensive work does not block requests. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SandboxUpstream } from './sandbox/server.ts';

export interface SandboxThread extends SandboxUpstream {
  lost: Promise<string>;
}

/**
 * Starts the sandbox thread.
 * @throws {Error} if the thread does not start
 */
export async function startSandboxThread(): Promise<SandboxThread> {
  const thread = new Worker(new URL('./sandbox/thread-main.ts', import.meta.url), { execArgv: [] });
  const [addresses] = (await once(thread, 'message')) as [Omit<SandboxUpstream, 'stop'>];
  let isStopping = false;
  const lost = new Promise<string>((resolve) => {
    const end = (cause: string) => isStopping || resolve(`The sandbox ended by itself (${cause}).`);
    thread.once('error', (error: Error) => end(error.message));
    thread.once('exit', (code) => end(`exit code ${code}`));
  });
  return {
    ...addresses,
    lost,
    async stop() {
      isStopping = true;
      await thread.terminate();
    },
  };
}
