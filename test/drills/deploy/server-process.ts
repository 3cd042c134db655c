import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverVariables } from '../../../lambdas/platform/environment.ts';
import { adoptChild } from '../../../lib/shared/children.ts';
import { freePort } from '../../../lib/shared/free-port.ts';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { assumeRole } from './cloud.ts';
import type { MiniStack } from './ministack.ts';

/** Server of a deployment, as a local process with the emulated services. */
export interface ServerProcess {
  url: string;
  /** Ends the server as Lambda ends a Web Function. */
  stop: () => Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;
const MAX_LAST_WORDS = 1_500;

/**
 * Starts the bundle of a checkout with the variables and the role of its template.
 * @throws {StartFailure} if the role cannot be assumed, or the server does not answer
 */
export async function startServerProcess(
  emulator: MiniStack,
  bundle: string,
  { role, variables, provider }: { role: string; variables: Record<string, string>; provider: Record<string, string> },
): Promise<ServerProcess> {
  const address = `http://127.0.0.1:${await freePort()}`;
  const own = Object.fromEntries(
    ['DYNAMODB', 'SQS', 'SECRETS_MANAGER', 'S3'].map((name) => [`AWS_ENDPOINT_URL_${name}`, emulator.endpoint]),
  );
  const child = adoptChild(
    spawn(process.execPath, [join(bundle, 'index.mjs')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ...emulator.environment,
        ...own,
        ...provider,
        ...variables,
        ...(await assumeRole(emulator, role)),
        [serverVariables.webFunctionEndpoint]: address,
      },
    }),
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-MAX_LAST_WORDS)));
  }
  const exit = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exit;
  };
  const isReady = await Promise.race([answersAt(`${address}/v1/health`), exit.then(() => false)]);
  if (isReady) return { url: `${address}/v1`, stop };
  await stop();
  throw new StartFailure(`The server did not start. The end of its log: ${log}`);
}

async function answersAt(url: string): Promise<boolean> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}
