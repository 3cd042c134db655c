/**
 * Programs of agents. They are installed apart, because they are large: `npm install --prefix test/conformance/agents`, or elsewhere with
 * AGENT_CLIENTS_DIRECTORY. Where one is missing its tests are skipped, unless AGENT_CLIENTS=required (the nightly job).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = process.env['AGENT_CLIENTS_DIRECTORY'] ?? import.meta.dirname;
const RUN_MS = 110_000;

/** Reads records of an archive: a server of tools that an agent starts. */
export const archiveServer = join(import.meta.dirname, 'mcp-server.mjs');

const programOf = (name: string) => join(directory, 'node_modules', '.bin', name);

/** Whether tests of this agent are to be left out. */
export function isLeftOut(name: string): boolean {
  return process.env['AGENT_CLIENTS'] !== 'required' && !existsSync(programOf(name));
}

/** A person's machine: a home, and a folder to work in. */
export interface Desk {
  home: string;
  work: string;
  clear: () => void;
}

export function newDesk(): Desk {
  const home = mkdtempSync(join(tmpdir(), 'agent-'));
  const work = join(home, 'work');
  mkdirSync(work);
  return { home, work, clear: () => rmSync(home, { recursive: true, force: true }) };
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** No agent calls home, updates itself, or sees the settings of who runs the tests. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
};

/** Runs a line of a shell in which the agents are known by their names. @throws when it does not end */
export async function runAgent(line: string, { home, work }: Desk, env: Record<string, string>): Promise<Ended> {
  const child = spawn('bash', ['-c', line], {
    cwd: work,
    // In a group of its own, so that what an agent has started ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${join(directory, 'node_modules', '.bin')}:${process.env['PATH']}`,
      HOME: home,
      ...quiet,
      ...env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), RUN_MS);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  if (signal) throw new Error(`The agent did not end within ${RUN_MS} ms:\n${stdout.slice(-2_000)}\n${stderr}`);
  return { code, stdout, stderr };
}
