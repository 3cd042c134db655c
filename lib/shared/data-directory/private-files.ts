import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** On a shared machine nobody else may read accounts, spending, hashes of keys and sealed answers. */
const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;

const DATABASE = 'dynamodb.sqlite';
/** Files of DynamoDB Local. */
const CONTAINER_DATABASE = 'dynamodb-local';

/** Names of the files in a data directory, and of the directories of sealed days and published catalogs. */
const ours =
  /^(dynamodb\.sqlite.*|(?:claim|processes)\.lock|secrets\.json|state\.json|run\.json|boots\.json|sealing-key\.pem)$/;
export const BOOKS = 'books';
export const PUBLICATIONS = 'catalog';
const directories = [BOOKS, PUBLICATIONS, CONTAINER_DATABASE];
/** A file that is being written; it gets its name when it is complete. */
const draft = /\.draft$/;

/**
 * Makes a data directory and its files readable by the owner alone, even if they were not before. A directory that
 * also holds other things keeps its own mode, because others may need to get in.
 */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const names = readdirSync(path);
  for (const name of names) if (ours.test(name)) protect(join(path, name), OWNER_ONLY_FILE);
  for (const name of directories) if (names.includes(name)) protect(join(path, name), OWNER_ONLY_DIRECTORY);
  const isOnlyOurs = names.every((name) => ours.test(name) || draft.test(name) || directories.includes(name));
  if (isOnlyOurs) chmodSync(path, OWNER_ONLY_DIRECTORY);
}

/** A process next to this one may just have removed the file: a journal of the database, or the file of a gateway that has ended. */
function protect(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Writes a file in place of the one that is there. Another process reads the old text or the new one, never a part. */
export function replacePrivateFile(path: string, text: string): void {
  renameSync(draftOf(path, text), path);
}

/**
 * Writes a file unless there is one: of several processes at once, one writes it, and all read the same.
 * Guarantee: another process reads all of it, or finds none.
 */
export function createPrivateFile(path: string, text: string): void {
  const whole = draftOf(path, text);
  try {
    linkSync(whole, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(whole);
  }
}

function draftOf(path: string, text: string): string {
  const whole = `${path}.${randomUUID()}.draft`;
  writeFileSync(whole, text, privateFile);
  return whole;
}

/** Whether a gateway or the command line has kept anything here that outlives its process. */
export function holdsData(path: string): boolean {
  return [DATABASE, CONTAINER_DATABASE, 'secrets.json', 'state.json'].some((name) => existsSync(join(path, name)));
}

/** Whether the records are here, and not in a DynamoDB of the operator's own. */
export function hasDatabase(path: string): boolean {
  return existsSync(join(path, DATABASE)) || hasContainerDatabase(path);
}

/** Whether the records are those of DynamoDB Local. */
export function hasContainerDatabase(path: string): boolean {
  return existsSync(join(path, CONTAINER_DATABASE));
}

/** Path of the directory for the files of DynamoDB Local, which exists then. */
export function containerDatabase(directory: string): string {
  const path = join(directory, CONTAINER_DATABASE);
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  return path;
}

/** Path of the database's file. It is made here: SQLite gives the files next to it the same mode. */
export function privateDatabase(directory: string): string {
  const path = join(directory, DATABASE);
  closeSync(openSync(path, 'a', OWNER_ONLY_FILE));
  return path;
}

/** Options with which a file is made that its owner alone can read. */
export const privateFile = { mode: OWNER_ONLY_FILE } as const;
