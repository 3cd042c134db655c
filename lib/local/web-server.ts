/**
 * The bundled server in its own process: the program of a Lambda Web Function or container, on this machine's services.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serverVariables } from '../../lambdas/platform/environment.ts';
import { adoptChild, needChild } from '../shared/children.ts';
import { StartFailure } from '../shared/failure.ts';
import { freePort } from '../shared/free-port.ts';
import { LOOPBACK_HOST } from './ports.ts';
import { programs } from './programs.ts';

const builds = fileURLToPath(new URL('../../.build', import.meta.url));
const SERVER_START_TIMEOUT_MS = 10_000;

export interface WebServer {
  /** Ends with /v1. */
  baseUrl: string;
  /** Resolves with a sentence if its process has ended by itself. */
  lost: Promise<string>;
  stop: () => Promise<void>;
}

/**
 * @param dataDirectory data directory of its gateway
 * @param catalogDirectory replaces the catalog that comes with the code
 * @throws {StartFailure} if the server does not start
 */
export async function startWebServer(dataDirectory: string, catalogDirectory: string | undefined): Promise<WebServer> {
  mkdirSync(builds, { recursive: true });
  const directory = mkdtempSync(join(builds, 'server-'));
  // Loads the bundler only if the server is requested.
  const { bundleServer, SERVER_PROGRAM } = await import('../shared/bundles/bundle.ts');
  await bundleServer(directory, catalogDirectory);
  const port = await freePort();
  // Runs in its own process group: Ctrl-C must reach the gateway first, whose services the server still needs.
  const child = adoptChild(
    fork(programs.server, [dataDirectory, join(directory, SERVER_PROGRAM)], {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, [serverVariables.host]: LOOPBACK_HOST, [serverVariables.port]: String(port) },
      detached: true,
    }),
  );
  const exit = once(child, 'exit');
  const needed = needChild(child, { name: 'The server of --web', endsForOthers: true });
  const baseUrl = `http://${LOOPBACK_HOST}:${port}/v1`;
  const stop = async () => {
    await needed.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const isUp = await Promise.race([answersAt(`${baseUrl}/health`), exit.then(() => false)]);
  if (isUp) return { baseUrl, lost: needed.lost, stop };
  await stop();
  throw new StartFailure('The server of --web did not start. See its output above.');
}

async function answersAt(url: string): Promise<boolean> {
  const deadline = performance.now() + SERVER_START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return true;
    await sleep(20);
  }
  return false;
}
