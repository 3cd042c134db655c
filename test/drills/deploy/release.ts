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
  /** Directory with the sources and packages of the release. */
  directory: string;
}

/** Returns the latest version with a date in the changelog; undefined if there is none. */
export function lastReleaseOf(changelog: string): string | undefined {
  return /^## \[(\d+\.\d+\.\d+)\] - /m.exec(changelog)?.[1];
}

/**
 * Checks out the last release: from its tag, or else from the commit that added its date to the changelog. It installs
 * packages unless this project's packages have the same versions.
 * @throws {StartFailure} if no release is found, as in a shallow clone, or its sources cannot be unpacked
 * @throws {Error} if npm fails
 */
export async function checkOutRelease(directory: string): Promise<Release> {
  const version = lastReleaseOf(readFileSync(join(projectDirectory, 'CHANGELOG.md'), 'utf8'));
  if (version === undefined) throw new StartFailure('CHANGELOG.md has no release yet.');
  const commit = await commitOf(version);
  if (commit === undefined) {
    throw new StartFailure(
      `This clone does not contain release ${version}. Fetch the whole history: git fetch --unshallow`,
    );
  }
  mkdirSync(directory, { recursive: true });
  const archive = spawn('git', ['archive', commit], { cwd: projectDirectory, stdio: ['ignore', 'pipe', 'inherit'] });
  const unpack = spawn('tar', ['-x', '-C', directory], { stdio: [archive.stdout, 'inherit', 'inherit'] });
  const [code] = (await once(unpack, 'exit')) as [number | null];
  if (code !== 0) throw new StartFailure(`The sources of release ${version} could not be unpacked with tar.`);
  await addPackages(directory);
  return { version, commit, directory };
}

async function commitOf(version: string): Promise<string | undefined> {
  return (
    (await git('rev-parse', '--verify', '--quiet', `v${version}^{commit}`)) ??
    (await git('log', '--format=%H', `-S## [${version}] - `, '--', 'CHANGELOG.md'))
  );
}

/** Returns the last line of git's output; undefined if there is none, or git fails. */
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
