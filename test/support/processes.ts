/** Facts about the Node processes of a gateway, reported by the processes themselves, on every system. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface ProcessReport {
  pid: number;
  parentPid: number;
  argv: string[];
  environment: Record<string, string>;
  /** User and kernel time of all threads since the start. */
  cpuMs: number;
  residentMb: number;
  /** Maximum resident memory since the start of the process. */
  peakMb: number;
}

const preload = fileURLToPath(new URL('process-reports.cjs', import.meta.url));

let directory: string | undefined;

/** Returns a directory with a short path: on macOS, a socket path may have at most 104 bytes. */
function socketDirectory(): string {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'pr-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    directory = made;
  }
  return directory;
}

/** Returns the environment in which the processes of a program report about themselves. */
export function reporting(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const options = [environment['NODE_OPTIONS'], `--require ${preload}`].filter(Boolean).join(' ');
  return { ...environment, NODE_OPTIONS: options, PROCESS_REPORTS: socketDirectory() };
}

/** A busy process answers late, and a paused process never answers. */
const REPORT_TIMEOUT_MS = 10_000;

/**
 * Reads the report of a process.
 * @throws {Error} if the process does not run, is paused, or was not started with the environment of `reporting`
 */
export async function reportOf(pid: number): Promise<ProcessReport> {
  const socket = connect(join(socketDirectory(), `${pid}.sock`));
  socket.setTimeout(REPORT_TIMEOUT_MS, () => socket.destroy(new Error(`Process ${pid} gives no report`)));
  return JSON.parse(await text(socket)) as ProcessReport;
}

/** Returns the reports of descendants that answer, except descendants of a silent process. */
export async function descendantsOf(pid: number): Promise<ProcessReport[]> {
  const pids = readdirSync(socketDirectory()).map((name) => Number.parseInt(name, 10));
  const settled = await Promise.allSettled(pids.map(reportOf));
  const running = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const below = (parent: number): ProcessReport[] =>
    running.filter(({ parentPid }) => parentPid === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
