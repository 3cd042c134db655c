import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../admission/leases.ts';
import { log } from '../platform/logger.ts';
import type { LargeRequestProcess } from './large-request-process.ts';
import type { BoundedHost } from './bounded-host.ts';
import type { Listener } from './listener.ts';

export interface ShutdownTimes {
  /** Time in ms from SIGTERM to the end of the process. */
  graceMs: number;
  /**
   * Part of graceMs in which answers may finish normally. The rest of the time is for ending and settling the remaining
   * answers.
   */
  finishMs: number;
}

interface Serving {
  functions: BoundedHost;
  listener: Listener;
  leases: Leases;
  largeRequests: LargeRequestProcess | undefined;
}

/**
 * Shuts a server down within graceMs. New requests get 529, also on open connections. After `finishMs`, running answers
 * end with an error after which the client can retry, and are settled. Weakness: if there is not enough time to settle
 * a generation, the sweep settles it later.
 */
export async function shutDown(
  { functions, listener, leases, largeRequests }: Serving,
  { graceMs, finishMs }: ShutdownTimes,
): Promise<void> {
  functions.refuseNew();
  log('info', 'stopping');
  const ended = Promise.all([leases.returnAll(), largeRequests?.stop(), listener.close()])
    // The settlement of an answer continues after its last byte.
    .then(() => functions.idle());
  setTimeout(() => functions.endAnswers?.(), finishMs);
  await Promise.race([ended, sleep(graceMs)]);
}
