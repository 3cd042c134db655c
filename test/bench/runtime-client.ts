import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const runtimeClient = join(dirname(require.resolve('aws-lambda-ric/package.json')), 'index.mjs');
const shim = fileURLToPath(new URL('../../lib/local/sandboxed/rapid-client-shim.cjs', import.meta.url));

/**
 * Runs a bundle under Lambda's runtime client until it requests its first invocation.
 * @param bundle directory of the function
 * @returns CPU milliseconds, including the start of Node; only on Linux
 */
export async function initCpuMs(bundle: string, environment: Record<string, string | undefined>): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = spawn(process.execPath, ['--require', shim, runtimeClient, 'index.handler'], {
    cwd: bundle,
    stdio: 'ignore',
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_LAMBDA_FUNCTION_NAME: 'function',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: 'index.handler',
    },
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${bundle} did not start`)));
  failed.catch(() => undefined);
  try {
    await Promise.race([once(server, 'request'), failed]);
    return cpuMsOf(child.pid!);
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}

/** Returns the CPU time in ms of all threads of a process, as Linux reports it. */
function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000_000;
}
