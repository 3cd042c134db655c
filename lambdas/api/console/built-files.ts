/** Reads the script and styles of the console, as the bundler built them from lib/console. */

import { readFileSync } from 'node:fs';
import { onceOpen } from '../../platform/concurrency/once.ts';

/** Contents of the console's files, by file name. */
export type ConsoleFiles = Record<'app.js' | 'app.css', string>;

/** Reads the files from the folder of the bundle. The bundler has written them there. */
async function readNextTo(): Promise<ConsoleFiles> {
  return { 'app.js': readText('app.js'), 'app.css': readText('app.css') };
}

function readText(name: keyof ConsoleFiles): string {
  return readFileSync(new URL(`./console/${name}`, import.meta.url), 'utf8');
}

let open = onceOpen(readNextTo);

/**
 * Replaces the files next to the bundle. A gateway that runs from source has no bundle. So it builds the files when
 * they are first requested.
 */
export function buildConsoleWith(build: () => Promise<ConsoleFiles>): void {
  open = onceOpen(build);
}

export function consoleFiles(): Promise<ConsoleFiles> {
  return open();
}
