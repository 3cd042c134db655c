/** Reads the console's script and styles, which the bundler has built from lib/console. */

import { readFileSync } from 'node:fs';
import { onceOpen } from '../../platform/concurrency/once.ts';

/** Contents of the console's files, by file name. */
export type ConsoleFiles = Record<'app.js' | 'app.css', string>;

/** Reads the files from the folder `console` next to the bundle, where the bundler has written them. */
async function readNextTo(): Promise<ConsoleFiles> {
  return { 'app.js': readText('app.js'), 'app.css': readText('app.css') };
}

function readText(name: keyof ConsoleFiles): string {
  return readFileSync(new URL(`./console/${name}`, import.meta.url), 'utf8');
}

let open = onceOpen(readNextTo);

/**
 * Sets a function that builds the files, for a gateway that runs from source. Such a gateway has no bundle with built
 * files, so it builds the files when they are first requested.
 */
export function buildConsoleWith(build: () => Promise<ConsoleFiles>): void {
  open = onceOpen(build);
}

export function consoleFiles(): Promise<ConsoleFiles> {
  return open();
}
