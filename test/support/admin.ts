import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { runAdmin } from '../../lib/admin/run.ts';
import { programOf } from './programs.ts';

const run = promisify(execFile);

/** Runs the operator's command line with --json in a separate process. */
export async function admin(dataDirectory: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [
    await programOf('bin/admin.ts'),
    '--json',
    '--data',
    dataDirectory,
    ...args,
  ]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

interface Said {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs an operator's command in this process, which is half a second faster. A process keeps the secrets that it has
 * read, so do not use this function with two data directories whose keys matter.
 */
export async function adminHere(dataDirectory: string, ...args: string[]): Promise<Said> {
  const said = { out: '', err: '' };
  const into = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    said[stream] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
  ];
  try {
    return { code: await runAdmin(['--data', dataDirectory, ...args]), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/**
 * Runs an operator's command as `adminHere` does, and returns its JSON output.
 * @throws {Error} with the error output if the command fails
 */
export async function adminJson(dataDirectory: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await adminHere(dataDirectory, '--json', ...args);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as Record<string, unknown>;
}
