/**
 * Processes of a local gateway, other than its main process, that can place or settle holds. Each holds a shared file
 * lock, which the next start checks, because a suspended process of an earlier start may still exist.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../shared/data-directory/file-lock.ts';

const LOCK_FILE = 'processes.lock';
const LOOK_EVERY_MS = 50;

/** Makes this process end when the gateway ends, even after `kill -9`, and takes the lock. */
export function belongToBoot(directory: string): void {
  process.on('disconnect', () => process.exit(0));
  tryLock(join(directory, LOCK_FILE), 'shared');
}

/** Waits until the processes of earlier starts have ended, and returns whether they have. */
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
