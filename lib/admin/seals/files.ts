import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Reads a file; returns undefined if it does not exist. */
export function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** Returns the sorted names in a directory; empty if it does not exist. */
export function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}
