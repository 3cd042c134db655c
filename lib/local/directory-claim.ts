/**
 * One process at a time starts the database of a data directory: the gateway, or a command while no gateway runs. Without this, a
 * command that comes while a gateway starts would take its database for one that was left behind, and end it.
 *
 * Weakness: two processes that find the claim of a dead one in the same millisecond may both take it over.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailure } from './failure.ts';
import { privateFile } from './private-files.ts';

/** Another process works on the directory. */
export class DirectoryInUse extends StartFailure {
  override name = 'DirectoryInUse';
}

const LOOK_EVERY_MS = 50;

/** The programs that work on a data directory. */
const ofData = ['local.ts', 'admin.ts'];

/**
 * @param waitMs how long another process is waited for
 * @param programs words of the command lines of those that may have it
 * @returns what gives the claim up; a process that dies gives it up as well
 * @throws {DirectoryInUse} when the other one has not ended by then
 */
export async function claimDirectory(
  directory: string,
  waitMs: number,
  programs: readonly string[] = ofData,
): Promise<() => void> {
  const file = join(directory, 'claim.pid');
  const deadline = performance.now() + waitMs;
  for (;;) {
    const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
    if (owner !== undefined && !isOurs(owner, programs)) rmSync(file, { force: true });
    if (take(file)) return () => rmSync(file, { force: true });
    if (performance.now() >= deadline) {
      throw new DirectoryInUse(`Process ${owner} works on ${directory}. Try again when it has ended.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { ...privateFile, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Process ids are reused: only a process that runs one of our entries counts. */
export function isOurs(pid: number, entries: readonly string[] = ofData): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync('/proc')) return true;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return entries.some((entry) => command.includes(entry));
  } catch {
    return false;
  }
}
