import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { adoptChild } from '../../../lib/shared/children.ts';
import { projectDirectory } from '../../../lib/shared/project-directory.ts';

export interface SmokeResult {
  check: string;
  result: 'ok' | 'failed' | 'skipped';
  says: string;
}

/** Runs `npm run smoke` with these options. */
export async function smokeWith(
  options: Record<string, string>,
  environment: Record<string, string>,
): Promise<SmokeResult[]> {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = adoptChild(
    spawn(process.execPath, ['bin/smoke.ts', '--json', ...args], {
      cwd: projectDirectory,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    }),
  );
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return (JSON.parse(output) as { results: SmokeResult[] }).results;
}

/** Matches the result of a stream that was complete and correct, but arrived in one piece. */
const IN_ONE_PIECE = /^all \d+ events arrived at once/;

export function arrivedInOnePiece({ result, says }: SmokeResult): boolean {
  return result === 'failed' && IN_ONE_PIECE.test(says);
}
