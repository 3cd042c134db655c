import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** Pins a command to a core where the machine can: then its figures are not those of its neighbours. */
const canPin = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1;

export interface Child {
  pid: number;
  /** Its first line on standard output. */
  firstLine: string;
  stop: () => Promise<void>;
}

/** Starts a program that prints a line when it is ready. */
export async function startPinned(
  core: number,
  command: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Child> {
  const [file, ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command;
  const child = spawn(file!, rest, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
  });
  const lines = createInterface(child.stdout);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${command.join(' ')} ended at once`)));
  const [firstLine] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return {
    // `taskset` becomes the command: its process is the command's.
    pid: child.pid!,
    firstLine,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Moves a process with all its threads to a core, where the machine can. */
export function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-acp', String(core), String(pid)]);
}

/** What a process has started, and what those have, with their command lines. */
export function descendantsOf(pid: number): { pid: number; command: string }[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [
    { pid: child, command: readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' ') },
    ...descendantsOf(child),
  ]);
}

const TICKS_PER_SECOND = 100;

/** CPU milliseconds that a process has used so far, in user and kernel. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Memory of a process in megabytes, now. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
