import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionSpec } from '../../lambdas/route.ts';
import { functions, routes, UNKNOWN_ROUTE } from '../../lambdas/routes.ts';
import { bundleFunctions } from '../../lib/aws/bundle.ts';

type Handler = (texts: string[]) => Promise<number | undefined>;

/** Zipped, as a function is fetched. Those that use a bucket, or tend queues, have an SDK in them. */
const mostBytes = (name: string) => {
  if (['health', UNKNOWN_ROUTE].includes(name)) return 20_000;
  if (['get-openapi', 'get-docs', 'get-docs-text'].includes(name)) return 60_000;
  const { grants, asksProviders } = functions[name] as FunctionSpec & { asksProviders?: boolean };
  if (grants.objects || !(name in routes)) return 300_000;
  return asksProviders || name === 'count-tokens' ? 200_000 : 80_000;
};
const directory = mkdtempSync(join(tmpdir(), 'gateway-bundles-'));

beforeAll(async () => {
  await bundleFunctions(directory, undefined, {
    ...functions,
    counting: { entry: '../test/support/counting-handler.ts' },
    failing: { entry: '../test/support/failing-handler.ts' },
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the bundle of a function', () => {
  it('is small: a cold start loads no vocabulary, and a public page nothing that looks for keys', () => {
    const zipped = Object.keys(functions).map((name) => ({
      name,
      bytes: gzipSync(readFileSync(join(directory, name, 'index.mjs'))).length,
    }));

    expect(zipped.filter(({ name, bytes }) => bytes > mostBytes(name))).toEqual([]);
  });

  it('has the catalog beside it, if it reads one', () => {
    const names = Object.keys(functions);
    const withCatalog = names.filter((name) => existsSync(join(directory, name, 'catalog.json')));
    const reading = names.filter((name) =>
      readFileSync(join(directory, name, 'index.mjs'), 'utf8').includes('catalog.json'),
    );

    expect(withCatalog).toEqual(reading);
    expect(withCatalog).toEqual(expect.arrayContaining(['create-message', 'list-models']));
  });

  it.each([
    ['that counts tokens', 'o200k-worker', 'counting'],
    ['that protects long prompts', 'protection-worker', 'create-message'],
  ])('has the thread %s beside it, if it uses it', (_what, thread, user) => {
    const names = [...Object.keys(functions), 'counting'];
    const withThread = names.filter((name) => existsSync(join(directory, name, `${thread}.mjs`)));
    const using = names.filter((name) => readFileSync(join(directory, name, 'index.mjs'), 'utf8').includes(thread));

    expect(withThread).toEqual(using);
    expect(withThread).toContain(user);
  });

  it('says in the log which of our files and lines an error comes from', () => {
    const file = pathToFileURL(join(directory, 'failing', 'index.mjs')).href;
    const lines = readFileSync('test/support/failing-handler.ts', 'utf8').split('\n');
    const line = 1 + lines.findIndex((text) => text.includes('throw '));

    const stack = execFileSync(
      process.execPath,
      ['--input-type=module', '--eval', `process.stdout.write((await import('${file}')).handler())`],
      { encoding: 'utf8', env: { NODE_OPTIONS: '--enable-source-maps' } },
    );

    expect(stack).toMatch(new RegExp(`^at fail \\(.*/test/support/failing-handler\\.ts:${line}:\\d+\\)`));
  });

  it('counts tokens on its own, and does not stand still while the vocabulary is loaded', async () => {
    const text = 'Съешь же ещё этих мягких французских булок, да выпей чаю.';
    const file = pathToFileURL(join(directory, 'counting', 'index.mjs')).href;
    const { handler } = (await import(file)) as { handler: Handler };
    const before = process.threadCpuUsage();

    const counted = await handler([text]);

    const { user, system } = process.threadCpuUsage(before);
    expect(counted).toBe(countTokens(text));
    // Loading it takes some 250 ms of computing.
    expect((user + system) / 1_000).toBeLessThan(100);
  });
});
