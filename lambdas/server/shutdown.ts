import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../admission/leases.ts';
import { log } from '../platform/logger.ts';
import type { LargeRequestProcess } from './large-request-process.ts';
import type { BoundedHost } from './bounded-host.ts';
import type { Listener } from './listener.ts';

export interface ShutdownTimes {
  /** Time from SIGTERM to the end of the process. */
  graceMs: number;
  /** Part of the grace in which answers may finish. The rest is for ending and settling the others. */
  finishMs: number;
}

interface Serving {
  functions: BoundedHost;
  door: Listener;
  leases: Leases;
  largeRequests: LargeRequestProcess | undefined;
}

/**
 * Ends the work of a server within its grace. New requests get 529 at once, also on open connections. Running answers
 * may finish. After `finishMs` the others end with an error that their clients can retry, and are settled. Weakness:
 * generations that are not settled within the grace are left to the sweep.
 */
export async function shutDown(
  { functions, door, leases, largeRequests }: Serving,
  { graceMs, finishMs }: ShutdownTimes,
): Promise<void> {
  functions.refuseNew();
  log('info', 'stopping');
  const ended = Promise.all([leases.returnAll(), largeRequests?.stop(), door.close()])
    // Settlements continue after the last byte of an answer.
    .then(() => functions.idle());
  setTimeout(() => functions.endAnswers?.(), finishMs);
  await Promise.race([ended, sleep(graceMs)]);
}
