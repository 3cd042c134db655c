/** Runs the bundled server in its own process, as in a Lambda Web Function or container. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverVariables } from '../../lambdas/platform/environment.ts';
import { adoptChild, needChild } from '../shared/children.ts';
import { StartFailure } from '../shared/failure.ts';
import { freePort } from '../shared/free-port.ts';
import { serverOptions } from '../shared/server-options.ts';
import { LOOPBACK_HOST } from './ports.ts';
import { programs } from './programs.ts';
import { makeServerBundle } from './server-bundle.ts';

const SERVER_START_TIMEOUT_MS = 10_000;

export interface WebServer {
  /** Base URL, which ends with /v1. */
  baseUrl: string;
  lost: Promise<string>;
  stop: () => Promise<void>;
}

/**
 * Starts the server.
 * @param dataDirectory of the gateway to which the server belongs
 * @param catalogDirectory replaces the catalog that comes with the code
 * @throws {CatalogError} if the catalog has a mistake
 * @throws {StartFailure} if the server does not start
 */
export async function startWebServer(dataDirectory: string, catalogDirectory: string | undefined): Promise<WebServer> {
  const bundle = await makeServerBundle(catalogDirectory);
  const port = await freePort();
  // The server has its own process group, so that Ctrl-C does not end it before the gateway. While the server stops, it
  // needs the gateway's services.
  const child = adoptChild(
    fork(programs.server, [dataDirectory, bundle.program], {
      execArgv: serverOptions,
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
    bundle.remove();
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
