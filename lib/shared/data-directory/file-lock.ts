/**
 * Locks that the operating system releases when a process ends, even if it is killed. Node has no function for such
 * locks, but SQLite uses them.
 *
 * Weakness: on POSIX systems, all locks of a process on a file end when the process closes any descriptor of the file.
 * So no other code may open a lock file.
 */

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { privateFile } from './private-files.ts';

/** Connections of the current locks. Garbage collection of a connection would release its lock. */
const held = new Set<DatabaseSync>();

const statements = {
  exclusive: 'BEGIN EXCLUSIVE',
  shared: 'BEGIN; SELECT 1 FROM sqlite_master',
};

/**
 * Tries to take a lock, without waiting.
 * @returns the function that releases the lock; undefined if another holder prevents it
 * @throws {Error} if the file cannot be opened
 */
export function tryLock(file: string, kind: keyof typeof statements): (() => void) | undefined {
  makePrivateFile(file);
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec(`PRAGMA journal_mode = MEMORY; ${statements[kind]}`);
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(connection);
  return () => {
    if (held.delete(connection)) connection.close();
  };
}

function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', privateFile.mode));
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
