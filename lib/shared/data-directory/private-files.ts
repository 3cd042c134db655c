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

/** Other users of the machine must not be able to read accounts, spending, key hashes and sealed answers. */
const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;

const DATABASE = 'dynamodb.sqlite';
const CONTAINER_DATABASE = 'dynamodb-local';

const ours =
  /^(dynamodb\.sqlite.*|(?:claim|processes)\.lock|secrets\.json|state\.json|run\.json|boots\.json|sealing-key\.pem)$/;
export const BOOKS = 'books';
export const PUBLICATIONS = 'catalog';
export const MAILS = 'mails';
const directories = [BOOKS, PUBLICATIONS, MAILS, CONTAINER_DATABASE];
/** Matches the temporary name of a file that is being written. */
const draft = /\.draft$/;

/**
 * Makes a data directory and the gateway's files in it readable only by the owner, even if other users could read them
 * before. A directory that also contains other files keeps its mode, because other users may need access to these
 * files.
 */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const names = readdirSync(path);
  for (const name of names) if (ours.test(name)) protect(join(path, name), OWNER_ONLY_FILE);
  for (const name of directories) if (names.includes(name)) protect(join(path, name), OWNER_ONLY_DIRECTORY);
  const isOnlyOurs = names.every((name) => ours.test(name) || draft.test(name) || directories.includes(name));
  if (isOnlyOurs) chmodSync(path, OWNER_ONLY_DIRECTORY);
}

/** Changes the mode of a file, if it still exists. */
function protect(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Replaces a file atomically: other processes read either the complete old text or the complete new text. */
export function replacePrivateFile(path: string, text: string): void {
  renameSync(draftOf(path, text), path);
}

/**
 * Creates a file unless it exists. If several processes create it at the same time, one of them succeeds. Guarantee:
 * other processes read the complete file, or find no file.
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

/** Returns whether a directory contains data that must outlive the process. */
export function holdsData(path: string): boolean {
  return [DATABASE, CONTAINER_DATABASE, 'secrets.json', 'state.json'].some((name) => existsSync(join(path, name)));
}

/**
 * Returns whether this directory contains a database. A directory may be in use without one, with a DynamoDB of the
 * operator.
 */
export function hasDatabase(path: string): boolean {
  return existsSync(join(path, DATABASE)) || hasContainerDatabase(path);
}

/** Returns whether the directory has the folder of DynamoDB Local, which runs in a container. */
export function hasContainerDatabase(path: string): boolean {
  return existsSync(join(path, CONTAINER_DATABASE));
}

export function containerDatabase(directory: string): string {
  const path = join(directory, CONTAINER_DATABASE);
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  return path;
}

/** Creates the database file, readable only by its owner, and returns its path. */
export function privateDatabase(directory: string): string {
  const path = join(directory, DATABASE);
  closeSync(openSync(path, 'a', OWNER_ONLY_FILE));
  return path;
}

export const privateFile = { mode: OWNER_ONLY_FILE } as const;
