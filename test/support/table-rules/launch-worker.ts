/**
 * Replaces the emulator's binary in test runs with rules. The binary gets a port of its own, and a second process
 * listens on the requested port and enforces the rules. This process becomes the binary, so ending it ends the binary.
 * The arguments are the binary and the binary's own arguments.
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
