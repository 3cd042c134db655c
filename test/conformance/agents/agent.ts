/**
 * Programs of agents, which are installed separately, because they are large: `npm install --prefix
 * test/conformance/agents`, or elsewhere with AGENT_CLIENTS_DIRECTORY. The tests of a missing program are skipped,
 * unless AGENT_CLIENTS=required.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = process.env['AGENT_CLIENTS_DIRECTORY'] ?? import.meta.dirname;
const RUN_MS = 110_000;

/** Tool server (Model Context Protocol) that an agent starts. */
export const archiveServer = join(import.meta.dirname, 'mcp-server.mjs');

const programOf = (name: string) => join(directory, 'node_modules', '.bin', name);

/** Whether the tests of this agent are skipped. */
export function isLeftOut(name: string): boolean {
  return process.env['AGENT_CLIENTS'] !== 'required' && !existsSync(programOf(name));
}

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

/** Variables with which agents send no telemetry and do not update themselves. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
};

/**
 * Runs a shell command that can call the agents by name.
 * @throws {Error} if the command does not end in time
 */
export async function runAgent(line: string, { home, work }: Desk, env: Record<string, string>): Promise<Ended> {
  const child = spawn('bash', ['-c', line], {
    cwd: work,
    // All processes that an agent has started end with its process group.
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
