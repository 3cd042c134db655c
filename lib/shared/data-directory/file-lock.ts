/**
 * Locks that the operating system releases when a process ends, however it ends. Node has no call for such locks, but
 * SQLite, which comes with Node, takes them on Linux, macOS and Windows.
 *
 * Weakness: POSIX releases the locks of a process when the process closes any descriptor of the file. So no other code
 * may open a lock file.
 */

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { privateFile } from './private-files.ts';

/**
 * Connections of held locks. They must stay referenced, because garbage collection of a connection would release its
 * lock.
 */
const held = new Set<DatabaseSync>();

/** Statements that take a lock and keep it until the connection is closed. */
const statements = {
  /** Only one process at a time can hold this lock, and only while no process holds a shared lock. */
  exclusive: 'BEGIN EXCLUSIVE',
  /** Any number of processes can hold this lock at a time. */
  shared: 'BEGIN; SELECT 1 FROM sqlite_master',
};

/**
 * Tries to take a lock, without waiting.
 * @returns the function that releases the lock; undefined if another holder prevents it
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

/**
 * Creates the lock file readable by the owner alone. SQLite would create it with the default permissions of the
 * process.
 */
function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', privateFile.mode));
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
