import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openTable, type Table } from '../../lambdas/store/table/table.ts';
import { reporting } from './processes.ts';
import { programOf } from './programs.ts';
import { unprovenRecords } from './proof.ts';
import { PATIENCE_MS } from './patience.ts';

export interface GatewayAddresses {
  baseUrl: string;
  /** Base URL for clients that append /v1 themselves. */
  anthropicUrl: string;
  streamingUrl: string;
}

export interface GatewayClient extends GatewayAddresses {
  key: string;
  managementKey: string;
  accountId: string;
  workspaceId: string;
  table: () => Table;
}

/** Gateway in a separate process, started as `npm start` does, or from the bundle of a test run. */
export interface RunningGateway extends GatewayClient {
  /** Base URL of the server, if the gateway was started with `--web`. */
  webUrl: string;
  dataDirectory: string;
  process: ChildProcess;
  /** Standard error of the gateway. */
  log: () => string;
  /**
   * Stops the gateway.
   * @throws {Error} if a record's cost does not follow from its prices and usage
   */
  stop: () => Promise<void>;
  kill: () => Promise<void>;
}

/** No test may search the web, even if the developer's environment has credentials. */
const noSearchAccounts = Object.fromEntries(
  ['YANDEX_SEARCH_API_KEY', 'BRAVE_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY', 'SEARXNG_URL'].map((name) => [name, '']),
);

export interface StartOptions {
  /** File of the program; default: the program of the sources under test. */
  program?: string;
  args?: string[];
  env?: Record<string, string>;
}

/**
 * Returns flags that start a gateway's clock ten seconds after the last full minute. Scheduled workers, which read the
 * table, first run 50 seconds later.
 */
export function betweenSchedules(): string[] {
  const now = new Date();
  now.setUTCSeconds(10, 0);
  return ['--now', now.toISOString()];
}

/** Starts a gateway, by default with a data directory that is removed when it stops. */
export async function startGateway({ program, args = [], env = {} }: StartOptions = {}): Promise<RunningGateway> {
  const data = optionOf(args, '--data') ?? mkdtempSync(join(tmpdir(), 'gateway-data-'));
  const isOwn = !args.includes('--data') && !args.includes('--ephemeral');
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=16',
      program ?? (await programOf('bin/local.ts')),
      '--port',
      '0',
      '--json',
      ...(isOwn ? ['--data', data] : []),
      ...args,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: reporting({ ...process.env, ...noSearchAccounts, ...env }),
    },
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => text as string),
    once(child, 'exit').then(() => Promise.reject(new Error(`The gateway did not start:\n${log}`))),
  ]);
  const ready = JSON.parse(line) as Record<string, string>;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    if (isOwn) rmSync(data, { recursive: true, force: true });
  };
  return {
    baseUrl: ready['base_url']!,
    anthropicUrl: ready['base_url']!.replace(/\/v1$/, ''),
    streamingUrl: ready['streaming_url']!,
    webUrl: ready['web_url']!,
    key: ready['inference_key']!,
    managementKey: ready['management_key']!,
    accountId: ready['account_id']!,
    workspaceId: ready['workspace_id']!,
    dataDirectory: data,
    process: child,
    log: () => log,
    table: () => tableOf(data),
    async stop() {
      // The cost of every record must follow from its price and usage.
      const unproven = isRunning(child, data) ? await unprovenRecords(tableOf(data)) : [];
      await end('SIGTERM');
      if (unproven.length > 0) throw new Error(`Records without proof of their price: ${JSON.stringify(unproven)}`);
    },
    kill: () => end('SIGKILL'),
  };
}

function isRunning(child: ChildProcess, data: string): boolean {
  return child.exitCode === null && child.signalCode === null && existsSync(join(data, 'run.json'));
}

/** Opens the table of the running gateway on this data directory. */
export function tableOf(data: string): Table {
  const run = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as Record<string, string>;
  return openTable({ endpoint: run['dynamodb_endpoint']!, name: run['table_name']! });
}

function optionOf(args: string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index === -1 ? undefined : args[index + 1];
}

/** Sends JSON with the gateway's inference key. */
export function post(gateway: GatewayClient, path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function get(gateway: GatewayClient, path: string, key = gateway.key) {
  return fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

/** Returns a user message, with directives for the sandbox provider after `@sandbox`. */
export function said(text: string, directives = ''): { role: 'user'; content: string } {
  return { role: 'user', content: directives === '' ? text : `${text}\n@sandbox ${directives}` };
}

/**
 * Reads a generation once it is final.
 * @throws {Error} if it is not final within `timeoutMs`
 */
export async function finalGeneration(gateway: GatewayClient, id: string, timeoutMs = PATIENCE_MS) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const response = await get(gateway, `/generation?id=${id}`);
    if (response.status === 200) return ((await response.json()) as { data: Record<string, unknown> }).data;
    if (performance.now() > deadline) throw new Error(`Generation ${id} is not final after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
