/**
 * Replaces the emulator's binary in test runs with rules: the binary gets another port, and a second process enforces
 * the rules on the requested port. This process becomes the binary, so ending it ends the binary. Arguments: the binary
 * and its own arguments.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../lib/shared/free-port.ts';

const [binary, ...given] = process.argv.slice(2) as [string, ...string[]];
const place = given.indexOf('--port') + 1;
const ownPort = String(await freePort());
const rules = fileURLToPath(new URL('rules-worker.ts', import.meta.url));
spawn(process.execPath, [rules, ownPort, given[place]!], { stdio: 'ignore', detached: true }).unref();
process.execve!(binary, [binary, ...given.with(place, ownPort)], process.env);
