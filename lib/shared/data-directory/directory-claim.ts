/**
 * Exclusive use of a data directory by one process. The claim is a lock of the operating system, so it ends with its
 * process, even after `kill -9`.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailure } from '../failure.ts';
import { tryLock } from './file-lock.ts';

export class DirectoryInUse extends StartFailure {
  override name = 'DirectoryInUse';
}

const CLAIM_FILE = 'claim.lock';
const LOOK_EVERY_MS = 50;

/**
 * Claims a directory for this process.
 * @param options.waitMs time to wait for the claim of another process to end
 * @param options.onHeld called after each failed attempt; may throw to stop waiting
 * @returns the function that releases the claim
 * @throws {DirectoryInUse} if the directory is still claimed after that time
 */
export async function claimDirectory(
  directory: string,
  { waitMs, onHeld = () => undefined }: { waitMs: number; onHeld?: () => void },
): Promise<() => void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const release = tryLock(join(directory, CLAIM_FILE), 'exclusive');
    if (release) return release;
    onHeld();
    if (performance.now() >= deadline) {
      throw new DirectoryInUse(`Another process works on ${directory}. Wait until it has ended, then try again.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Returns whether a process has claimed the directory. */
export function isClaimed(directory: string): boolean {
  const release = tryLock(join(directory, CLAIM_FILE), 'shared');
  release?.();
  return release === undefined;
}
