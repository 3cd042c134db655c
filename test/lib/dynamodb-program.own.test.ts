import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTable, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { findBinary, findDynamodb, type Machine } from '../../lib/shared/database/dynamodb-program.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dynamodb-program-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns a simulated machine with these commands, and with the npm package only if its path is given. */
const machine = (commands: string[], packaged?: string): Machine => ({
  packaged: () => packaged,
  runs: (command) => commands.includes(command),
});

const refusal = () => findDynamodb(undefined, machine([]));

const firstWords = (of: Machine, data?: string) => findDynamodb(data, of).command(4711, data).slice(0, 2);

describe('the program that serves DynamoDB', () => {
  beforeEach(() => vi.stubEnv('DYNAMODB_BINARY', ''));

  it('is the packaged dynoxide, or dynoxide on the PATH, or Docker', () => {
    expect(firstWords(machine(['dynoxide', 'docker'], '/packages/dynoxide'))).toEqual(['/packages/dynoxide', 'serve']);
    expect(firstWords(machine(['dynoxide', 'docker']))).toEqual(['dynoxide', 'serve']);
    expect(firstWords(machine(['docker']))).toEqual(['docker', 'run']);
  });

  it('is the binary of DYNAMODB_BINARY, if set', () => {
    vi.stubEnv('DYNAMODB_BINARY', process.execPath);
    expect(firstWords(machine(['dynoxide', 'docker'], '/packages/dynoxide'))).toEqual([process.execPath, 'serve']);
  });

  it('is missing: the message names both ways to get one', () => {
    expect(refusal).toThrow(/Install dynoxide .* on the PATH, or start Docker to run amazon\/dynamodb-local/);
    expect(refusal).toThrow('set DYNAMODB_ENDPOINT');
  });

  it('stays the program that wrote the records', () => {
    writeFileSync(join(directory, 'dynamodb.sqlite'), '');
    expect(() => findDynamodb(directory, machine(['docker']))).toThrow(
      'The records in this directory were written by dynoxide',
    );

    rmSync(join(directory, 'dynamodb.sqlite'));
    mkdirSync(join(directory, 'dynamodb-local'));
    expect(firstWords(machine(['docker'], '/packages/dynoxide'), directory)).toEqual(['docker', 'run']);
    expect(() => findDynamodb(directory, machine(['dynoxide']))).toThrow(
      'Start Docker, or choose another directory with --data.',
    );
  });
});

/** Returns a script in place of Docker: it serves the published port with dynoxide, and keeps records in the volume. */
const docker = (binary: string) => `#!/bin/sh
[ "$1 $2" = "run --rm" ] || exit 1
while [ $# -gt 0 ]; do
  case "$1" in
    --publish) port=$(echo "$2" | cut -d: -f2) ;;
    --volume) data=$(echo "$2" | cut -d: -f1) ;;
  esac
  shift
done
exec "${binary}" serve --host 127.0.0.1 --port "$port" --db-path "$data/shared-local-instance.db"
`;

describe.skipIf(process.platform === 'win32')('DynamoDB Local in Docker', () => {
  it('is started on a port of loopback, keeps its records in the data directory, and ends with the gateway', async () => {
    const programs = join(directory, 'bin');
    mkdirSync(programs);
    writeFileSync(join(programs, 'docker'), docker(findBinary()!));
    chmodSync(join(programs, 'docker'), 0o755);
    vi.stubEnv('PATH', `${programs}${delimiter}${process.env['PATH']}`);
    vi.stubEnv('DYNAMODB_ENDPOINT', '');
    const data = join(directory, 'data');

    const { endpoint, stop } = await startDynamodb(data, findDynamodb(data, machine(['docker'])));
    await createTable(endpoint, 'kept');
    await stop();

    expect(existsSync(join(data, 'dynamodb-local', 'shared-local-instance.db'))).toBe(true);
    await expect(fetch(endpoint)).rejects.toThrow();
  });
});

describe('the packages', () => {
  it('bring dynoxide for each platform that it is published for, at one version', () => {
    const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'];
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const [version] = platforms.map((platform) => optionalDependencies[`@dynoxide/${platform}`]);
    for (const platform of platforms) {
      const [os, cpu] = platform.split('-');
      expect(optionalDependencies[`@dynoxide/${platform}`]).toBe(version);
      expect(packages[`node_modules/@dynoxide/${platform}`]).toMatchObject({
        version,
        os: [os],
        cpu: [cpu],
        optional: true,
      });
    }
  });
});

interface Manifest {
  optionalDependencies: Record<string, string>;
}

interface Lock {
  packages: Record<string, object>;
}
