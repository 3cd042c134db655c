/**
 * The processes of one boot of a local gateway that take or settle holds besides the gateway itself. Each of them ends with the gateway,
 * and holds a lock until then: so the next start knows whether one of them still runs, for example because it was suspended.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../shared/data-directory/file-lock.ts';

const LOCK_FILE = 'processes.lock';
const LOOK_EVERY_MS = 50;

/** Called by such a process before it does anything: ends it together with the gateway, also after a `kill -9` of that. */
export function belongToBoot(directory: string): void {
  process.on('disconnect', () => process.exit(0));
  tryLock(join(directory, LOCK_FILE), 'shared');
}

/**
 * Waits until the processes of earlier boots have ended. Called by the owner of the directory, before it starts processes of its own.
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
