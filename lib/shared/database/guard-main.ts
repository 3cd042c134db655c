/**
 * Runs a program, and ends it when this process's parent ends. The parent's end closes this process's standard input.
 *
 * Usage: node guard-main.ts <command> [arguments]
 *
 * Weakness: if this process is killed with SIGKILL, the program keeps running.
 */

import { spawn } from 'node:child_process';

/** Time for the program to end after SIGTERM. */
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
