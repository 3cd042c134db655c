/**
 * Locks that the operating system releases when a process ends, even if it is killed. Node has no call for such locks.
 * But SQLite, which comes with Node, takes them on Linux, macOS and Windows.
 *
 * Weakness: on POSIX, all locks of a process on a file end when the process closes any descriptor of the file. So no
 * other code may open a lock file.
 */

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { privateFile } from './private-files.ts';

/**
 * Connections of held locks. If a connection were garbage-collected, its lock would be released. So they must stay
 * referenced.
 */
const held = new Set<DatabaseSync>();

/** Statements that take a lock and keep it until the connection is closed. */
const statements = {
  /** Lock for one process. No other process may hold it, or a shared lock, at the same time. */
  exclusive: 'BEGIN EXCLUSIVE',
  /** Lock for any number of processes at a time. */
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

/** Creates the lock file, readable only by the owner. SQLite would create it with the process's default permissions. */
function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', privateFile.mode));
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
