/** Facts about the Node processes of a gateway, as the processes report them: on every system alike, without tools of the system. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** A Node process, now. */
export interface ProcessReport {
  pid: number;
  parentPid: number;
  argv: string[];
  environment: Record<string, string>;
  /** CPU milliseconds used so far, in user and kernel, by all threads. */
  cpuMs: number;
  residentMb: number;
  /** Largest resident memory so far. */
  peakMb: number;
}

const preload = fileURLToPath(new URL('process-reports.cjs', import.meta.url));

let directory: string | undefined;

/** The socket of each process is in one directory for each process of tests; a path of a socket has 104 bytes on macOS. */
function socketDirectory(): string {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'pr-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    directory = made;
  }
  return directory;
}

/** The environment of a program whose processes report. */
export function reporting(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const options = [environment['NODE_OPTIONS'], `--require ${preload}`].filter(Boolean).join(' ');
  return { ...environment, NODE_OPTIONS: options, PROCESS_REPORTS: socketDirectory() };
}

/** A process that is busy answers later, and a paused one never. */
const REPORT_TIMEOUT_MS = 10_000;

/** @throws if the process does not run or is paused, or was not started with the environment of `reporting` */
export async function reportOf(pid: number): Promise<ProcessReport> {
  const socket = connect(join(socketDirectory(), `${pid}.sock`));
  socket.setTimeout(REPORT_TIMEOUT_MS, () => socket.destroy(new Error(`Process ${pid} gives no report`)));
  return JSON.parse(await text(socket)) as ProcessReport;
}

/** Reports of all processes that a process has started, directly or through others. */
export async function descendantsOf(pid: number): Promise<ProcessReport[]> {
  const pids = readdirSync(socketDirectory()).map((name) => Number.parseInt(name, 10));
  const settled = await Promise.allSettled(pids.map(reportOf));
  const running = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const below = (parent: number): ProcessReport[] =>
    running.filter(({ parentPid }) => parentPid === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
