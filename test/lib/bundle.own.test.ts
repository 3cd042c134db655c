import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential, FunctionSpec } from '../../lambdas/route.ts';
import { functions, UNKNOWN_ROUTE } from '../../lambdas/routes.ts';
import { bundleFunctions } from '../../lib/shared/bundles/bundle.ts';
import { currentBundles } from '../../lib/aws/current-bundles.ts';
import { listen } from '../support/listen.ts';

type Handler = (texts: string[]) => Promise<number | undefined>;

/** Maximum sizes in bytes of workers with large dependencies. */
const largeWorkers: Record<string, number> = {
  'export-books': 150_000,
  'seal-days': 110_000,
  'advance-videos': 90_000,
};

/** Returns the maximum size of a function, zipped as for its deployment. */
const maxBytes = (name: string) => {
  if (['health', UNKNOWN_ROUTE].includes(name)) return 20_000;
  // The bundle contains the viewer as its package ships it.
  if (name === 'get-docs-viewer') return 1_500_000;
  // Most of the size is the document itself.
  if (['get-openapi', 'get-docs', 'get-docs-text'].includes(name)) return 110_000;
  const { credential } = functions[name] as FunctionSpec & { credential?: Credential };
  return credential === 'inference' ? 200_000 : (largeWorkers[name] ?? 80_000);
};
let directory: string;
const own = mkdtempSync(join(tmpdir(), 'gateway-bundles-'));

beforeAll(async () => {
  directory = await currentBundles('.build/functions');
  await bundleFunctions(own, undefined, {
    counting: { entry: '../test/support/counting-handler.ts' },
    failing: { entry: '../test/support/failing-handler.ts' },
    refusing: { entry: '../test/support/refusing-handler.ts' },
    calling: { entry: '../test/support/calling-handler.ts' },
  });
}, 300_000);
afterAll(() => rmSync(own, { recursive: true, force: true }));

describe('the bundle of a function', () => {
  it('is small: a cold start loads no vocabulary, and a public page no code for keys', () => {
    const zipped = Object.keys(functions).map((name) => ({
      name,
      bytes: gzipSync(readFileSync(join(directory, name, 'index.mjs'))).length,
    }));

    expect(zipped.filter(({ name, bytes }) => bytes > maxBytes(name))).toEqual([]);
  });

  it('has a source map for the function, but none for its threads', () => {
    const maps = readdirSync(join(directory, 'create-message')).filter((name) => name.endsWith('.map'));

    expect(maps).toEqual(['index.mjs.map']);
    expect(existsSync(join(directory, 'create-message', 'o200k-worker.mjs'))).toBe(true);
  });

  it('has the catalog files if the function reads the catalog', () => {
    const names = Object.keys(functions);
    const withCatalog = names.filter((name) => existsSync(join(directory, name, 'catalog.json')));
    const reading = names.filter((name) =>
      readFileSync(join(directory, name, 'index.mjs'), 'utf8').includes('catalog.json'),
    );

    expect(withCatalog).toEqual(reading);
    expect(withCatalog).toContain('create-message');
  });

  it('has the catalog files exactly if the function may also read a published catalog', () => {
    const withCatalog = Object.keys(functions).filter((name) => existsSync(join(directory, name, 'catalog.json')));
    const granted = Object.entries<FunctionSpec>(functions).filter(([, { grants }]) => grants.catalog === true);

    expect(withCatalog).toEqual(granted.map(([name]) => name));
  });

  it.each([
    ['that counts tokens', 'o200k-worker', 'counting'],
    ['that protects long prompts', 'protection-worker', 'create-message'],
  ])('has the file of the thread %s if the function uses it', (_what, thread, user) => {
    const bundles = [...Object.keys(functions).map((name) => join(directory, name)), join(own, 'counting')];
    const withThread = bundles.filter((bundle) => existsSync(join(bundle, `${thread}.mjs`)));
    const using = bundles.filter((bundle) => readFileSync(join(bundle, 'index.mjs'), 'utf8').includes(thread));

    expect(withThread).toEqual(using);
    expect(withThread.map((bundle) => basename(bundle))).toContain(user);
  });

  it.each(
    'protect-texts packet-seconds kinds classify retry-after overflow-message typed-schema cited-text'.split(' '),
  )('loads %s when it is first needed, without copies of classes that are compared', async (part) => {
    const using = Object.keys(functions).filter((name) =>
      readFileSync(join(directory, name, 'index.mjs'), 'utf8').includes(`"./${part}.mjs"`),
    );
    const withPart = Object.keys(functions).filter((name) => existsSync(join(directory, name, `${part}.mjs`)));
    const file = join(directory, using[0]!, `${part}.mjs`);

    expect(withPart).toEqual(using);
    expect(readFileSync(file, 'utf8')).not.toContain('GatewayError');
    expect(Object.keys((await import(pathToFileURL(file).href)) as object).length).toBeGreaterThan(0);
  });

  it('loads the rules for errors of providers at the first error', async () => {
    const url = pathToFileURL(join(own, 'refusing', 'index.mjs')).href;
    const { handler } = (await import(url)) as { handler: (message: string) => unknown };

    expect(handler('Slow down')).toEqual({ kind: 'rate_limit_exceeded', headers: { 'retry-after': '7' } });
    expect(handler('prompt is too long: 5 tokens > 3 maximum')).toMatchObject({ kind: 'context_length_exceeded' });
  });

  it('maps stack traces in the log to source files and lines', () => {
    const file = pathToFileURL(join(own, 'failing', 'index.mjs')).href;
    const lines = readFileSync('test/support/failing-handler.ts', 'utf8').split('\n');
    const line = 1 + lines.findIndex((text) => text.includes('throw '));

    const stack = execFileSync(
      process.execPath,
      ['--input-type=module', '--eval', `process.stdout.write((await import('${file}')).handler())`],
      { encoding: 'utf8', env: {} },
    );

    expect(stack).toMatch(new RegExp(`^at \\S*test/support/failing-handler\\.ts:${line}:\\d+ < at `));
  });

  it('calls AWS with the credentials of its role, at the endpoints of its region or its environment', async () => {
    const calls: string[] = [];
    const aws = await listen(
      createServer((request, response) => {
        const { 'x-amz-target': target, authorization = '', 'x-amz-security-token': token } = request.headers;
        calls.push(
          `${String(target)} ${/Credential=([^,]+)/.exec(authorization)![1]!.replace(/\d{8}/, 'DAY')} ${String(token)}`,
        );
        request.resume().on('end', () => response.end('{}'));
      }),
    );
    const file = pathToFileURL(join(own, 'calling', 'index.mjs')).href;
    const env = {
      AWS_LAMBDA_FUNCTION_NAME: 'calling',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'ROLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'SESSION',
      AWS_ENDPOINT_URL_DYNAMODB: aws.url,
    };

    const run = `await (await import('${file}')).handler('${aws.url}/123/queue')`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', run], { env });
    await aws.stop();

    expect(calls).toEqual([
      'DynamoDB_20120810.GetItem ROLE/DAY/eu-central-1/dynamodb/aws4_request SESSION',
      'AmazonSQS.GetQueueAttributes ROLE/DAY/eu-central-1/sqs/aws4_request SESSION',
    ]);
  });

  it('counts tokens, and stays responsive while the vocabulary loads', async () => {
    const text = 'Съешь же ещё этих мягких французских булок, да выпей чаю.';
    const file = pathToFileURL(join(own, 'counting', 'index.mjs')).href;
    const { handler } = (await import(file)) as { handler: Handler };
    const [before, ofAll] = [process.threadCpuUsage(), process.cpuUsage()];

    // A request waits only briefly for a count, and the vocabulary may be loaded a moment later.
    await expect.poll(() => handler([text])).toBe(countTokens(text));

    const [here, all] = [process.threadCpuUsage(before), process.cpuUsage(ofAll)];
    // A worker thread loads the vocabulary, so this thread uses less than half of the CPU time.
    expect(here.user + here.system).toBeLessThan((all.user + all.system) / 2);
  });
});
