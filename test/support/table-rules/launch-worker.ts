/**
 * Stands in the place of the emulator's binary where a run of the tests has rules: the binary gets a port of its own, and a process
 * beside it imposes them at the port that was given. This process becomes the binary, so that whoever ends it ends the binary. Its
 * arguments are the binary and the binary's own.
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
