import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A gateway in a process of its own, started as `npm start` does. */
export interface RunningGateway {
  baseUrl: string;
  /** The base URL of clients that append /v1 themselves. */
  anthropicUrl: string;
  streamingUrl: string;
  key: string;
  managementKey: string;
  accountId: string;
  workspaceId: string;
  process: ChildProcess;
  /** Everything on standard error so far. */
  log: () => string;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
}

const entry = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
}

export async function startGateway({ args = ['--ephemeral'], env = {} }: StartOptions = {}): Promise<RunningGateway> {
  const child = spawn(process.execPath, [entry, '--port', '0', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => text as string),
    once(child, 'exit').then(() => Promise.reject(new Error(`The gateway did not start:\n${log}`))),
  ]);
  const ready = JSON.parse(line) as Record<string, string>;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  return {
    baseUrl: ready['base_url']!,
    anthropicUrl: ready['base_url']!.replace(/\/v1$/, ''),
    streamingUrl: ready['streaming_url']!,
    key: ready['inference_key']!,
    managementKey: ready['management_key']!,
    accountId: ready['account_id']!,
    workspaceId: ready['workspace_id']!,
    process: child,
    log: () => log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A JSON request with the gateway's inference key. */
export function post(gateway: RunningGateway, path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function get(gateway: RunningGateway, path: string, key = gateway.key) {
  return fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

/** A user message, directed to the sandbox by the words behind @sandbox. */
export function said(text: string, directives = ''): { role: 'user'; content: string } {
  return { role: 'user', content: directives === '' ? text : `${text}\n@sandbox ${directives}` };
}

/** Reads a generation once it is final. @throws when it is not within `timeoutMs`. */
export async function finalGeneration(gateway: RunningGateway, id: string, timeoutMs = 5_000) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const response = await get(gateway, `/generation?id=${id}`);
    if (response.status === 200) return ((await response.json()) as { data: Record<string, unknown> }).data;
    if (performance.now() > deadline) throw new Error(`Generation ${id} is not final after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
