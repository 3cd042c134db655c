/**
 * Measures the CPU time in which a fresh process imports the bundle of a function, as at a cold start. It imports the
 * bundles and an empty handler with three SDK clients in turn: compare only columns of one run.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { functions } from '../../lambdas/routes.ts';
import { bundleFunctions } from '../../lib/shared/bundles/bundle.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { median } from './load.ts';
import { initCpuMs } from './runtime-client.ts';

const usage = `Usage: npm run bench:imports -- [options]

  --starts <n>             starts of each bundle (15); the medians are printed
  --functions <a,b>        functions of lambdas/routes.ts
  --source-maps            with --enable-source-maps, as in the deployment`;

const { values: options } = toolArguments(usage, {
  options: {
    starts: { type: 'string', default: '15' },
    functions: { type: 'string', default: 'create-message,create-chat-completion,finalize-cost,get-key,health' },
    'source-maps': { type: 'boolean', default: false },
  },
});

const CLIENTS = 'three SDK clients';
const clientsSource = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
const clients = [new DynamoDBClient({}), new S3Client({}), new SQSClient({})];
export const handler = () => clients.length;
`;

/** Functions need these variables when they are imported. */
const env = { AWS_REGION: 'us-east-1', TABLE_NAME: 'table', PATH: process.env['PATH'] };

const importing = `
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };
const before = process.cpuUsage();
await import(process.argv[2]);
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1_000));
process.exit();
`;

const names = options.functions.split(',');
const directory = mkdtempSync(join(tmpdir(), 'gateway-imports-'));
const entries = Object.fromEntries(names.map((name) => [name, functions[name]!]));

try {
  const bundles = join(directory, 'bundles');
  await bundleFunctions(bundles, undefined, entries);
  const files = new Map(names.map((name) => [name, join(bundles, name, 'index.mjs')]));
  files.set(CLIENTS, await bundleClients());
  print(measure(files));
  if (process.platform === 'linux') await printInit(join(bundles, names[0]!));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Bundles the clients without the plugins of this project. */
async function bundleClients(): Promise<string> {
  const outfile = join(directory, 'clients', 'index.mjs');
  mkdirSync(join(directory, 'clients'));
  const stdin = { contents: clientsSource, resolveDir: import.meta.dirname };
  const banner = { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` };
  const form = { bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node24' } as const;
  await build({
    ...form,
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
    banner,
    stdin,
    outfile,
  });
  return outfile;
}

/** Returns the CPU milliseconds of each import, by bundle. */
function measure(files: ReadonlyMap<string, string>): Map<string, number[]> {
  const cpuMs = new Map(Array.from(files, ([name]) => [name, [] as number[]]));
  const program = join(directory, 'import.mjs');
  writeFileSync(program, importing);
  for (let start = 0; start < Number(options.starts); start += 1) {
    for (const [name, file] of files) {
      const flags = options['source-maps'] ? ['--enable-source-maps'] : [];
      const { stdout, stderr } = spawnSync(process.execPath, [...flags, program, file], { encoding: 'utf8', env });
      if (stdout === '') throw new Error(stderr.slice(-500));
      cpuMs.get(name)!.push(Number(stdout));
    }
  }
  return cpuMs;
}

/** Prints the CPU time of a whole cold start: Node, Lambda's runtime client, and the import of the function. */
async function printInit(bundle: string): Promise<void> {
  const all: number[] = [];
  for (let start = 0; start < Number(options.starts); start += 1) all.push(await initCpuMs(bundle, env));
  process.stdout.write(`${names[0]} under the runtime client: ${median(all).toFixed(0)} ms\n`);
}

function print(cpuMs: ReadonlyMap<string, number[]>): void {
  const clients = median(cpuMs.get(CLIENTS)!);
  for (const [name, all] of cpuMs) {
    const ms = median(all);
    process.stdout.write(
      `${name.padEnd(26)}${ms.toFixed(0).padStart(6)} ms${(ms / clients).toFixed(2).padStart(8)} ×\n`,
    );
  }
}
