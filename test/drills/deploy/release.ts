/** The sources of the release before this one, as git has them. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { projectDirectory } from '../../../lib/shared/project-directory.ts';

const run = promisify(execFile);

export interface Release {
  version: string;
  commit: string;
  /** Its sources, with packages. */
  directory: string;
}

/** The last version that a changelog has a date for. */
export function lastReleaseOf(changelog: string): string | undefined {
  return /^## \[(\d+\.\d+\.\d+)\] - /m.exec(changelog)?.[1];
}

/**
 * Puts the sources of the last release into a directory: those of its tag, else of the commit that gave it its date in the changelog.
 * Its packages are those of this project if the versions are the same, else they are installed.
 * @throws {StartFailure} if git does not have it, as in a clone without history
 */
export async function checkOutRelease(directory: string): Promise<Release> {
  const version = lastReleaseOf(readFileSync(join(projectDirectory, 'CHANGELOG.md'), 'utf8'));
  if (version === undefined) throw new StartFailure('CHANGELOG.md has no release yet.');
  const commit = await commitOf(version);
  if (commit === undefined) {
    throw new StartFailure(
      `Git does not have release ${version} here: fetch the whole history (git fetch --unshallow).`,
    );
  }
  mkdirSync(directory, { recursive: true });
  const archive = spawn('git', ['archive', commit], { cwd: projectDirectory, stdio: ['ignore', 'pipe', 'inherit'] });
  const unpack = spawn('tar', ['-x', '-C', directory], { stdio: [archive.stdout, 'inherit', 'inherit'] });
  const [code] = (await once(unpack, 'exit')) as [number | null];
  if (code !== 0) throw new StartFailure(`The sources of release ${version} cannot be unpacked.`);
  await addPackages(directory);
  return { version, commit, directory };
}

async function commitOf(version: string): Promise<string | undefined> {
  return (
    (await git('rev-parse', '--verify', '--quiet', `v${version}^{commit}`)) ??
    (await git('log', '--format=%H', `-S## [${version}] - `, '--', 'CHANGELOG.md'))
  );
}

/** @returns the last line of its output; undefined if there is none, or it fails */
async function git(...args: string[]): Promise<string | undefined> {
  const { stdout } = await run('git', args, { cwd: projectDirectory }).catch(() => ({ stdout: '' }));
  return stdout.trim().split('\n').at(-1) || undefined;
}

async function addPackages(directory: string): Promise<void> {
  if (hasAllPackagesOf(readLock(directory), readLock(projectDirectory))) {
    symlinkSync(join(projectDirectory, 'node_modules'), join(directory, 'node_modules'), 'junction');
    return;
  }
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory });
}

type Packages = Record<string, { version?: string }>;

function readLock(directory: string): Packages {
  return (JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as { packages: Packages }).packages;
}

export function hasAllPackagesOf(wanted: Packages, present: Packages): boolean {
  return Object.entries(wanted).every(([path, { version }]) => path === '' || present[path]?.version === version);
}
