/**
 * The program of a server: all that clients of models ask for, many requests at once in one process, on Lambda Web Functions or in a
 * container. Its functions are those of the deployment, unchanged. Nothing that must happen waits for its end: what it could not settle
 * any more, the sweep settles from the last checkpoint.
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
import { startApi, type DoorOptions } from './front-door.ts';
import { hostingOf, type HostingProfile } from './hosting.ts';
import { importHandler } from './import-handler.ts';
import { startInProcessHost } from './in-process-host.ts';
import { originOf } from './origin.ts';
import { answeringNames, served, servedElsewhere } from './served-routes.ts';
import { shutDown } from './shutdown.ts';

/** What bodies may take of one process's memory, as long as their answers are not whole. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Time in which the second process returns its leases when the first has died. */
const RETURN_LEASES_MS = 1_000;
/** A body of this size takes about ten milliseconds of the processor; larger ones are answered beside. */
const BESIDE_FROM_BYTES = 256 * 1024;

process.umask(0o077);
await start(process.argv.slice(2)).catch((error: unknown) => {
  log('error', serverTripwires.notStarted, describeError(error));
  process.exit(1);
});

async function start([option, socketPath]: string[]): Promise<void> {
  const home = hostingOf();
  await (option === '--beside' ? serveBeside(socketPath!, home) : serveClients(home));
}

async function serveClients(home: HostingProfile): Promise<void> {
  const { host, port, clientIpSource } = home;
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const beside = largeRequestProcessOf(fileURLToPath(import.meta.url), join(directory, 'large.sock'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const url = await serve(
    { host, port },
    {
      originOf: (request) => originOf(request, clientIpSource),
      beside: { upToBytes: BESIDE_FROM_BYTES, process: beside },
    },
    { home, leases: processLeasesFor(home.takesLeases), beside },
  );
  log('info', 'listening', { reason: url });
}

/** Ends with the process that it serves, in whatever way that ends. */
async function serveBeside(path: string, home: HostingProfile): Promise<void> {
  const leases = processLeasesFor(home.takesLeases);
  // Its clients were connected to the first process. Only its leases have to be returned.
  process.on('disconnect', () => {
    void Promise.race([leases.returnAll(), sleep(RETURN_LEASES_MS)]).then(() => process.exit(0));
  });
  rmSync(path, { force: true });
  await serve({ path }, { originOf: forwardedOrigin }, { home, leases });
  process.send!('ready');
}

/** The leases of this process. */
function processLeasesFor(takesLeases: boolean): Leases {
  const leases = new Leases();
  if (takesLeases) holdFromLeases(leases);
  return leases;
}

async function serve(
  at: ListenOptions,
  options: DoorOptions,
  { home, leases, beside }: { home: HostingProfile; leases: Leases; beside?: LargeRequestProcess },
): Promise<string> {
  const { shutdown, maxRequests } = home;
  const functions = boundedHost(await startInProcessHost(answeringNames, importHandler), maxRequests);
  const door = await startApi(at, served, functions, {
    room: new BodyRoom(MAX_BODY_BYTES),
    servedElsewhere,
    ...options,
  });
  process.once('SIGTERM', () => {
    void shutDown({ functions, door, leases, beside }, shutdown).then(() => process.exit(0));
  });
  return door.url;
}
