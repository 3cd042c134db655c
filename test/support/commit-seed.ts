import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const HEX_DIGITS = 7;

/**
 * Returns a seed that is derived from the commit, or else from the version, so that runs of a commit use the same
 * inputs.
 */
export function commitSeed(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, HEX_DIGITS), 16);
  } catch {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    return Number(version.replaceAll(/\D/g, ''));
  }
}
