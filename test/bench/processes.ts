import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { reporting } from '../support/processes.ts';

/** Whether this machine can pin a process to a core. */
const canPin = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1;

export interface Child {
  pid: number;
  /** First line on standard output. */
  firstLine: string;
  stop: () => Promise<void>;
}

/** Starts a program, and waits for a line that it prints when it is ready. With `isSilent`, it waits for no line. */
export async function startPinned(
  core: number,
  command: string[],
  options: { env?: Record<string, string>; cwd?: string; isSilent?: boolean } = {},
): Promise<Child> {
  const [file, ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command;
  const child = spawn(file!, rest, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: reporting({ ...process.env, ...options.env }),
    cwd: options.cwd,
  });
  const lines = createInterface(child.stdout);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${command.join(' ')} ended at once`)));
  const [firstLine] = options.isSilent ? [''] : ((await Promise.race([once(lines, 'line'), ended])) as [string]);
  ended.catch(() => undefined);
  return {
    // `taskset` replaces itself by the command, so the process id is the command's.
    pid: child.pid!,
    firstLine,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Moves a process with its threads to a core, if this machine can. */
export function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-acp', String(core), String(pid)]);
}
