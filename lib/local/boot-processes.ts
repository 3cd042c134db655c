/**
 * Processes of one boot of a local gateway that can place or settle holds, in addition to the gateway itself. Each ends
 * with the gateway, and holds a lock until then. So the next start can see whether one still runs, for example because
 * it was suspended.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../shared/data-directory/file-lock.ts';

const LOCK_FILE = 'processes.lock';
const LOOK_EVERY_MS = 50;

/** Called first by these processes: ends the process together with the gateway, even after `kill -9`. */
export function belongToBoot(directory: string): void {
  process.on('disconnect', () => process.exit(0));
  tryLock(join(directory, LOCK_FILE), 'shared');
}

/**
 * Waits until the processes of earlier boots have ended. Called by the owner of the directory before it starts its own.
 * @returns whether all of them have ended within that time
 */
export async function earlierProcessesEnded(directory: string, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const release = tryLock(join(directory, LOCK_FILE), 'exclusive');
    release?.();
    if (release) return true;
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_EVERY_MS);
  }
}
