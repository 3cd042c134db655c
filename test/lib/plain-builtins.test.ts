import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { plainBuiltins } from '../../lib/shared/bundles/plain-builtins.ts';

/** Returns the JSON that a bundled program prints. */
async function printedBy(contents: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents },
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [plainBuiltins],
    write: false,
  });
  const said = execFileSync(process.execPath, ['--input-type=module'], { input: outputFiles[0]!.text });
  return JSON.parse(said.toString());
}

it('a bundle loads the modules of Node without undici, even a module that has no name without a prefix', async () => {
  const said = await printedBy(`
    import { createServer } from 'node:http';
    import { DatabaseSync } from 'node:sqlite';
    const { Agent } = await import('node:http');
    const undici = process.moduleLoadList.filter((name) => name.includes('undici'));
    console.log(JSON.stringify([typeof createServer, typeof DatabaseSync, typeof Agent, undici]));`);

  expect(said).toEqual(['function', 'function', 'function', []]);
});

it('a bundle loads web streams and threads only when it uses them', async () => {
  const said = await printedBy(`
    import { ReadableStream } from 'node:stream/web';
    import { Worker } from 'node:worker_threads';
    const isLoaded = (name) => process.moduleLoadList.includes('NativeModule ' + name);
    const before = ['stream/web', 'worker_threads'].map(isLoaded);
    const isStream = [new Blob(['']).stream(), {}].map((value) => value instanceof ReadableStream);
    const worker = new Worker('process.getBuiltinModule("worker_threads").parentPort.postMessage(1)', { eval: true });
    worker.on('message', (message) => console.log(JSON.stringify({ before, isStream, message })));`);

  expect(said).toEqual({ before: [false, false], isStream: [true, false], message: 1 });
});
