import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { hasCurl } from '../support/curl.ts';
import { programOf } from '../support/programs.ts';

const running: { child: ChildProcess; directory: string }[] = [];
afterEach(async () => {
  for (const { child, directory } of running.splice(0)) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  }
});

async function greetingOf(args: (directory: string) => string[], env: Record<string, string> = {}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway greeting-'));
  const child = spawn(process.execPath, [await programOf('bin/local.ts'), '--port', '0', ...args(directory)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ANTHROPIC_API_KEY: '', ...env },
  });
  running.push({ child, directory });
  let text = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (/curl \S+\/keys .*\n/.test(text)) break;
  }
  return text;
}

const run = async (line: string) => (await promisify(execFile)('bash', ['-c', line], { encoding: 'utf8' })).stdout;

/** Returns the commands as a reader would paste them. */
function commandsIn(text: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, '');
  return joined.split('\n').flatMap((line) => /^ {4}(curl .*)$/.exec(line)?.[1] ?? []);
}

describe.skipIf(!hasCurl)('the greeting of a first start', () => {
  it('has commands that work as printed, and names the providers with a key', async () => {
    const text = await greetingOf((directory) => ['--data', join(directory, "it's")], { ANTHROPIC_API_KEY: 'sk-ant' });

    const [streamed, models, keys] = await Promise.all(commandsIn(text).map(run));
    expect(streamed).toContain('event: message_stop');
    expect(models).toContain('"sandbox/claude"');
    expect(keys).toContain('"data"');

    const [, create] = /Create a new one: (npm run .*)$/m.exec(text)!;
    const [created] = /sk-mg-v1-[0-9a-f]+/.exec(await run(create!))!;
    const [, baseUrl] = /base URL +(\S+)/.exec(text)!;
    const { status } = await fetch(`${baseUrl}/key`, { headers: { 'x-api-key': created } });
    expect(status).toBe(200);

    const [, exported] = /^ +(export GATEWAY_URL=.*)$/m.exec(text)!;
    const [shown] = /sk-mg-v1-[0-9a-f]+/.exec(text)!;
    expect(await run(`${exported}; echo $GATEWAY_URL $GATEWAY_KEY`)).toBe(`${baseUrl} ${shown}\n`);

    expect(text).toMatch(
      /providers +.*Anthropic.*; \d+ more without a key or an address \(npm run admin -- --data .+ providers\)/,
    );
  });

  it('does not name a data directory with --ephemeral', async () => {
    expect(await greetingOf(() => ['--ephemeral'])).not.toContain('Create a new one');
  });
});

describe('contradictory flags', () => {
  it('are refused: --ephemeral with --data', async () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [await programOf('bin/local.ts'), '--ephemeral', '--data', 'x'],
      {
        encoding: 'utf8',
      },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/--ephemeral stores nothing/);
  });
});

describe('admin providers', () => {
  it('lists the variable of each provider, and whether it is set', async () => {
    const json = await run('OPENAI_API_KEY=x ANTHROPIC_API_KEY= node bin/node24.mjs bin/admin.ts --json providers');
    const rows = JSON.parse(json) as { id: string; variable: string; state: string; models: number }[];
    expect(rows).toContainEqual(expect.objectContaining({ id: 'openai', variable: 'OPENAI_API_KEY', state: 'live' }));
    expect(rows).toContainEqual(expect.objectContaining({ id: 'anthropic', state: 'no key' }));
    expect(rows.every(({ models }) => models > 0)).toBe(true);
  });
});
