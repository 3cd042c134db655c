/**
 * Locks that the operating system releases when a process ends, however it ends. Node has no call for them, but SQLite, which comes with
 * Node, takes them on Linux, macOS and Windows.
 *
 * Weakness: POSIX releases the locks of a process when it closes any descriptor of the file. So nothing else may open a lock file.
 */

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { privateFile } from './private-files.ts';

/** Keeps the connections of held locks alive: collecting one as garbage would release its lock. */
const held = new Set<DatabaseSync>();

/** Statements that take a lock and keep it until the connection is closed. */
const statements = {
  /** Only one process at a time can hold it, and only while there is no shared lock. */
  exclusive: 'BEGIN EXCLUSIVE',
  /** Held by any number of processes at a time. */
  shared: 'BEGIN; SELECT 1 FROM sqlite_master',
};

/** @returns the function that releases the lock; undefined if another holder is in the way */
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

/** Otherwise SQLite would create the file with the permissions of the process. */
function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', privateFile.mode));
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
