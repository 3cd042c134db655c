import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const entry = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));
const run = promisify(execFile);

/** Runs the operator's command line with --json, in its own process. */
export async function admin(dataDirectory: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [entry, '--json', '--data', dataDirectory, ...args]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Runs a command for people. @returns what it prints */
export async function adminTable(dataDirectory: string, ...args: string[]): Promise<string> {
  return (await run(process.execPath, [entry, '--data', dataDirectory, ...args])).stdout;
}

/** Runs a command that is refused. @returns what it says to a person */
export async function adminRefusal(dataDirectory: string, ...args: string[]): Promise<string> {
  const failed = await run(process.execPath, [entry, '--data', dataDirectory, ...args]).then(
    ({ stdout }) => Promise.reject(new Error(`This was not refused:\n${stdout}`)),
    (error: unknown) => error as { code: number; stderr: string },
  );
  return failed.stderr;
}
