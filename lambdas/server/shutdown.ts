import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../admission/leases.ts';
import { log } from '../platform/logger.ts';
import type { LargeRequestProcess } from './large-request-process.ts';
import type { BoundedHost } from './bounded-host.ts';
import type { Listener } from './listener.ts';

export interface ShutdownTimes {
  /** Time from SIGTERM to the end of the process. */
  graceMs: number;
  /** Time that answers have to finish by themselves, out of the grace. The rest is for ending and settling the others. */
  finishMs: number;
}

interface Serving {
  functions: BoundedHost;
  door: Listener;
  leases: Leases;
  beside: LargeRequestProcess | undefined;
}

/**
 * Ends the work of a server within its grace. New requests get 529 at once, also on connections that clients keep. Answers
 * that are under way may finish. After `finishMs` the others end with an error that their clients can retry, and are settled.
 * Weakness: the sweep settles what is not settled when the grace is over.
 */
export async function shutDown(
  { functions, door, leases, beside }: Serving,
  { graceMs, finishMs }: ShutdownTimes,
): Promise<void> {
  functions.refuseNew();
  log('info', 'stopping');
  const ended = Promise.all([leases.returnAll(), beside?.stop(), door.close()])
    // Settlements go on after the last byte of an answer.
    .then(() => functions.idle());
  setTimeout(() => functions.endAnswers?.(), finishMs);
  await Promise.race([ended, sleep(graceMs)]);
}
