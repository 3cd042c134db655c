import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';

/** Starts the gateway as a script does with `&`, and returns npm's own process, and the gateway's ready message. */
async function npmStart() {
  const npm = spawn('npm', ['-s', 'start', '--', '--port', '0', '--ephemeral', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, npm_lifecycle_event: undefined },
  });
  const [line] = (await once(createInterface(npm.stdout), 'line')) as [string];
  return { npm, baseUrl: (JSON.parse(line) as { base_url: string }).base_url };
}

/** Returns the database processes that use a directory. */
const runsOn = (data: string) =>
  spawnSync('ps', ['-axo', 'args'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes('serve') && line.includes(data));

const answers = (baseUrl: string) =>
  fetch(`${baseUrl}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

describe('npm start', () => {
  it('ends its gateway if it is killed', async () => {
    const { npm, baseUrl } = await npmStart();
    expect(await answers(baseUrl)).toBe(true);

    npm.kill('SIGTERM');

    await eventually(async () => expect(await answers(baseUrl)).toBe(false), 200);
  });

  it('leaves nothing behind if it is stopped before it is ready', async () => {
    const data = mkdtempSync(join(tmpdir(), 'gateway-stopped-'));
    try {
      const args = ['bin/node24.mjs', 'bin/local.ts', '--port', '0', '--data', data];
      const start = spawn(process.execPath, args, { stdio: 'ignore' });
      const ended = once(start, 'exit');
      // The database runs already, but the gateway does not.
      await eventually(() => expect(runsOn(data)).not.toEqual([]), 20);
      expect(existsSync(join(data, 'run.json'))).toBe(false);

      start.kill('SIGTERM');

      await ended;
      await eventually(() => expect(runsOn(data)).toEqual([]));
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('names the first step if packages are not installed', () => {
    const bare = mkdtempSync(join(tmpdir(), 'gateway-bare-'));
    try {
      mkdirSync(join(bare, 'bin'));
      cpSync('bin/node24.mjs', join(bare, 'bin', 'node24.mjs'));
      const { status, stderr } = spawnSync(process.execPath, ['bin/node24.mjs', 'x.ts'], {
        cwd: bare,
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toBe('The packages are not installed yet. Run "npm ci", then run the command again.\n');
    } finally {
      rmSync(bare, { recursive: true, force: true });
    }
  });
});
