/** The bundler has built the console's script and styles from lib/console. */

import { readFileSync } from 'node:fs';
import { onceOpen } from '../../platform/concurrency/once.ts';

export type ConsoleFiles = Record<'app.js' | 'app.css', string>;

/** Reads the files that the bundler has written into the folder `console` next to the bundle. */
async function readNextTo(): Promise<ConsoleFiles> {
  return { 'app.js': readText('app.js'), 'app.css': readText('app.css') };
}

function readText(name: keyof ConsoleFiles): string {
  return readFileSync(new URL(`./console/${name}`, import.meta.url), 'utf8');
}

let open = onceOpen(readNextTo);

/** Sets the function that builds the files, for a gateway that runs from source, without built files. */
export function buildConsoleWith(build: () => Promise<ConsoleFiles>): void {
  open = onceOpen(build);
}

export function consoleFiles(): Promise<ConsoleFiles> {
  return open();
}
