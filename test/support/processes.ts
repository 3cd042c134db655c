/** What Linux knows of processes. */

import { readdirSync, readFileSync } from 'node:fs';

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
