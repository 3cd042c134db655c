/**
 * Runs a program that would not notice the end of its parent, and ends the program when the parent ends. The parent
 * holds the other end of this process's standard input, which closes when the parent ends, even if it is killed. The
 * program's standard error is passed on.
 *
 * Usage: node guard-main.ts <command> [arguments]
 *
 * Weakness: if this process is killed with SIGKILL, the program keeps running.
 */

import { spawn } from 'node:child_process';

/** Time in ms for the program to end after SIGTERM. */
const GRACE_MS = 5_000;

const [command, ...args] = process.argv.slice(2);
const program = spawn(command!, args, { stdio: ['ignore', 'ignore', 'inherit'] });

function end(): void {
  program.kill('SIGTERM');
  setTimeout(() => program.kill('SIGKILL'), GRACE_MS).unref();
}

process.on('SIGTERM', end);
process.stdin.resume().once('close', end);
program.once('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
program.once('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  // This process ends by the same signal as the program, so that the parent can report how the program ended.
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, signal);
});
