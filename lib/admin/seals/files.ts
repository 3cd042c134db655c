import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** @returns undefined where there is no such file */
export function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** The names in a directory, in order; none where there is no such directory. */
export function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}
