import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Accounts, spending, hashes of keys and sealed answers are nobody else's to read on a machine that people share. */
const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY = 0o600;

const DATABASE = 'dynamodb.sqlite';

/** Names of what a data directory holds. */
const ours = /^(dynamodb\.sqlite.*|dynamodb\.pid|secrets\.json|state\.json|run\.json|boots\.json)$/;

/**
 * Makes a data directory that only its owner can read, with all that is in it: also one that was made before it was
 * private. A directory that holds other things too keeps its own mode, because others may have to get in.
 */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const names = readdirSync(path);
  for (const name of names) if (ours.test(name)) chmodSync(join(path, name), OWNER_ONLY);
  if (names.every((name) => ours.test(name))) chmodSync(path, OWNER_ONLY_DIRECTORY);
}

/** Whether a gateway, or the command line, has kept anything here that outlives its process. */
export function holdsData(path: string): boolean {
  return [DATABASE, 'secrets.json', 'state.json'].some((name) => existsSync(join(path, name)));
}

/** Path of the database's file. It is made here: SQLite gives the files beside it the mode that this one has. */
export function privateDatabase(directory: string): string {
  const path = join(directory, DATABASE);
  closeSync(openSync(path, 'a', OWNER_ONLY));
  return path;
}

/** Options of writeFileSync for a file of the data directory. */
export const privateFile = { mode: OWNER_ONLY } as const;
