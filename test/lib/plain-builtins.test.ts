import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { plainBuiltins } from '../../lib/shared/bundles/plain-builtins.ts';

it('a bundle loads the modules of Node without undici, even a module that has no name without a prefix', async () => {
  const source = `
    import { createServer } from 'node:http';
    import { DatabaseSync } from 'node:sqlite';
    const { Agent } = await import('node:http');
    const undici = process.moduleLoadList.filter((name) => name.includes('undici'));
    console.log(JSON.stringify([typeof createServer, typeof DatabaseSync, typeof Agent, undici]));`;
  const { outputFiles } = await build({
    stdin: { contents: source },
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [plainBuiltins],
    write: false,
  });
  const said = execFileSync(process.execPath, ['--input-type=module'], { input: outputFiles[0]!.text });

  expect(JSON.parse(said.toString())).toEqual(['function', 'function', 'function', []]);
});
