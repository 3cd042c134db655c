/**
 * Server program, as a Lambda Web Function or in a container. It serves the routes other than management routes, with
 * many concurrent requests in one process. If it is killed, the sweep settles its generations from their last
 * checkpoints.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListenOptions } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { holdFromLeases } from '../admission/lease-source.ts';
import { Leases } from '../admission/leases.ts';
import { describeError, log, serverTripwires } from '../platform/logger.ts';
import { largeRequestProcessOf, forwardedOrigin, type LargeRequestProcess } from './large-request-process.ts';
import { BodyRoom } from './bodies.ts';
import { boundedHost } from './bounded-host.ts';
import { startApi, type ApiServerOptions } from './api-server.ts';
import { hostingOf, type HostingProfile } from './hosting.ts';
import { importHandler } from './import-handler.ts';
import { startInProcessHost } from './in-process-host.ts';
import { originOf } from './origin.ts';
import { answeringNames, served, servedElsewhere } from './served-routes.ts';
import { shutDown } from './shutdown.ts';

/** Maximum memory in bytes for bodies of requests whose answers are not complete. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Maximum time in ms for the second process to return its leases after the first process has ended. */
const RETURN_LEASES_MS = 1_000;
/** Size in bytes above which a body goes to the second process. */
const LARGE_FROM_BYTES = 256 * 1024;

process.umask(0o077);
await start(process.argv.slice(2)).catch((error: unknown) => {
  log('error', serverTripwires.notStarted, describeError(error));
  process.exit(1);
});

async function start([option, socketPath]: string[]): Promise<void> {
  const hosting = hostingOf();
  await (option === '--beside' ? serveLargeRequests(socketPath!, hosting) : serveClients(hosting));
}

async function serveClients(hosting: HostingProfile): Promise<void> {
  const { host, port, clientIpSource } = hosting;
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const largeRequests = largeRequestProcessOf(fileURLToPath(import.meta.url), join(directory, 'large.sock'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const url = await serve(
    { host, port },
    {
      originOf: (request) => originOf(request, clientIpSource),
      largeRequests: { upToBytes: LARGE_FROM_BYTES, process: largeRequests },
    },
    { hosting, leases: processLeasesFor(hosting.takesLeases), largeRequests },
  );
  log('info', 'listening', { reason: url });
}

/** Runs the second process. It ends when the first process ends, for whatever reason. */
async function serveLargeRequests(path: string, hosting: HostingProfile): Promise<void> {
  const leases = processLeasesFor(hosting.takesLeases);
  // The first process has ended, and with it the clients' connections, so only the leases must be returned.
  process.on('disconnect', () => {
    void Promise.race([leases.returnAll(), sleep(RETURN_LEASES_MS)]).then(() => process.exit(0));
  });
  rmSync(path, { force: true });
  await serve({ path }, { originOf: forwardedOrigin }, { hosting, leases });
  process.send!('ready');
}

/** Returns the leases of the process. If it takes leases, its requests take their holds from them. */
function processLeasesFor(takesLeases: boolean): Leases {
  const leases = new Leases();
  if (takesLeases) holdFromLeases(leases);
  return leases;
}

async function serve(
  at: ListenOptions,
  options: ApiServerOptions,
  { hosting, leases, largeRequests }: { hosting: HostingProfile; leases: Leases; largeRequests?: LargeRequestProcess },
): Promise<string> {
  const { shutdown, maxRequests } = hosting;
  const functions = boundedHost(await startInProcessHost(answeringNames, importHandler), maxRequests);
  const listener = await startApi(at, served, functions, {
    room: new BodyRoom(MAX_BODY_BYTES),
    acceptsLargeForms: true,
    servedElsewhere,
    ...options,
  });
  process.once('SIGTERM', () => {
    void shutDown({ functions, listener, leases, largeRequests }, shutdown).then(() => process.exit(0));
  });
  return listener.url;
}
