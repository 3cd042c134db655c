import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
/** These programs parse their arguments in another way, and have their own tests of `--help`. */
const others = new Set(['bin/admin.ts', 'bin/smoke.ts', 'test/drills/main.ts', 'test/run.ts']);

describe('tools of package.json', () => {
  it('each print their usage for --help, instead of starting', () => {
    const programs = Object.values(scripts).flatMap(
      (script) => /^node bin\/node24\.mjs (\S+\.ts)\b/.exec(script)?.[1] ?? [],
    );
    const silent = programs
      .filter((program) => !others.has(program))
      .filter((program) => !/\btoolArguments\(/.test(readFileSync(root + program, 'utf8')));
    expect(programs.length).toBeGreaterThan(15);
    expect(silent).toEqual([]);
  });

  it('refuse an unknown option with the usage and exit code 2', () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, ['lib/openapi/write.ts', '--nothing'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/Unknown option '--nothing'[^]*Usage: npm run openapi/);
  });
});
