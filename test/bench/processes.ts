import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** Pins a command to a core where the machine can: then its figures are not those of its neighbours. */
const canPin = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1;

export interface Child {
  process: ChildProcess;
  /** Its first line on standard output. */
  firstLine: string;
  stop: () => Promise<void>;
}

export async function startPinned(core: number, args: string[], env: Record<string, string> = {}): Promise<Child> {
  const command = [process.execPath, ...args];
  const [file, ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command;
  const child = spawn(file!, rest, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } });
  const [firstLine] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    process: child,
    firstLine,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Moves this process to a core, where the machine can. */
export function pinSelf(core: number): void {
  if (canPin) spawnSync('taskset', ['-cp', String(core), String(process.pid)]);
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
