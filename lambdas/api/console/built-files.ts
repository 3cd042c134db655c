/** The files of the console as the bundler made them of lib/console: script and styles. */

import { readFileSync } from 'node:fs';
import { onceOpen } from '../../platform/concurrency/once.ts';

/** Their texts by their names. */
export type ConsoleFiles = Record<'app.js' | 'app.css', string>;

/** The bundler puts them next to the bundle. */
async function readBeside(): Promise<ConsoleFiles> {
  return { 'app.js': readText('app.js'), 'app.css': readText('app.css') };
}

function readText(name: keyof ConsoleFiles): string {
  return readFileSync(new URL(`./console/${name}`, import.meta.url), 'utf8');
}

let open = onceOpen(readBeside);

/** Replaces the files beside the bundle, where there is none: a gateway that runs from its sources builds them when they are asked for. */
export function buildConsoleWith(build: () => Promise<ConsoleFiles>): void {
  open = onceOpen(build);
}

export function consoleFiles(): Promise<ConsoleFiles> {
  return open();
}
