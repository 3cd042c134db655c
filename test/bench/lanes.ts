/**
 * Ways from the client to the upstream that are compared: no gateway, a pipe of bytes, versions of this gateway, and
 * other gateways.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credentials, type Shape, type WireName } from './bench-catalog.ts';
import { request, type Asked, type Target } from './load.ts';
import { descendantsOf, reportOf } from '../support/processes.ts';
import { pin, startPinned } from './processes.ts';

/** Cores of the measured process and of all other processes. */
const MEASURED = 1;
const AROUND = 0;

export interface Lane {
  name: string;
  /** Returns the target of requests; undefined if the lane does not support the wire. */
  target: (wire: WireName, shape: Shape) => Target | undefined;
  /** Whether streams are measured. Some gateways fail at streams with some versions of their dependencies. */
  streams: boolean;
  /** Returns the CPU milliseconds of the process that answers, and of the processes that assist it. */
  cpuMs: () => Promise<{ answering: number; beside: number }>;
  residentMb: () => Promise<number>;
  stop: () => Promise<void>;
}

export interface GatewayLane extends Lane {
  newKey: (fields?: object) => Promise<string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the lane without a gateway, which always calls the Messages API. */
export function directLane(upstreamUrl: string): Lane {
  return {
    name: 'direct',
    streams: true,
    target: (_, shape) => ({ url: `${upstreamUrl}/v1/messages`, headers: {}, model: shape }),
    cpuMs: async () => ({ answering: 0, beside: 0 }),
    residentMb: async () => 0,
    stop: () => Promise.resolve(),
  };
}

export async function pipeLane(upstreamUrl: string): Promise<Lane> {
  const pipe = await startPinned(MEASURED, [
    process.execPath,
    fileURLToPath(new URL('./pipe.ts', import.meta.url)),
    upstreamUrl,
  ]);
  const url = `http://127.0.0.1:${pipe.firstLine}/v1/messages`;
  return {
    name: 'pipe',
    streams: true,
    target: (wire, shape) => (wire === 'anthropic' ? { url, headers: {}, model: shape } : undefined),
    ...measuresOf(pipe.pid),
    stop: pipe.stop,
  };
}

export interface PeerOptions {
  name: string;
  command: string[];
  url: string;
  headers: Record<string, string>;
  env?: Record<string, string>;
  /** Address that answers when the peer is ready; default: `url`. */
  readyAt?: string;
  /** Kind of the peer's process: a Node process (default), another program, or the child of a launcher. */
  runsIn?: 'node' | 'other' | 'child';
  /** Creates providers and keys after the start, and returns more headers of requests. */
  prepare?: () => Promise<Record<string, string>>;
  modelPrefix?: string;
}

/** Starts another gateway with its production settings. */
export async function peerLane({ name, command, url, ...more }: PeerOptions): Promise<Lane> {
  const { env = {}, readyAt = url, runsIn = 'node', modelPrefix = '' } = more;
  const peer = await startPinned(MEASURED, command, {
    env: { NODE_ENV: 'production', ...env },
    isSilent: more.readyAt !== undefined,
  });
  await untilAnswers(readyAt);
  const headers = { ...more.headers, ...(await more.prepare?.()) };
  const target = (shape: Shape): Target => ({ url, headers, model: `${modelPrefix}${shape}` });
  const measured = runsIn === 'child' ? childrenOf(peer.pid)[0]! : peer.pid;
  if (runsIn !== 'node') for (const pid of childrenOf(measured)) pin(pid, AROUND);
  return {
    name,
    streams: await answers(name, target('5x2'), { stream: true }),
    target: (wire, shape) => (wire === 'anthropic' ? target(shape) : undefined),
    ...(runsIn === 'node' ? measuresOf(measured) : measuresOfOther(measured)),
    stop: peer.stop,
  };
}

/** Measures a process and its children with data of Linux. */
function measuresOfOther(pid: number): Pick<Lane, 'cpuMs' | 'residentMb'> {
  return {
    cpuMs: async () => ({
      answering: cpuMsOf(pid),
      beside: childrenOf(pid).reduce((sum, child) => sum + cpuMsOf(child), 0),
    }),
    residentMb: async () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024,
  };
}

function cpuMsOf(pid: number): number {
  // These are fields 14 and 15 (user and system time in hundredths of a second); the name in field 2 may contain
  // spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

export interface GatewayOptions {
  name: string;
  data: string;
  catalog: string;
  dynamodbEndpoint: string;
  /** Directory of the sources. */
  directory?: string;
  /** Directory for the CPU profile. */
  profiles?: string | undefined;
  /** Settings for measuring the server (`--web`); if absent, the functions are measured. */
  server?: { takesLeases: boolean } | undefined;
}

/** Starts a gateway as `npm start` does. */
export async function gatewayLane(options: GatewayOptions): Promise<GatewayLane> {
  const { name, data, catalog, dynamodbEndpoint, directory = root, profiles, server } = options;
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const gateway = await startPinned(
    MEASURED,
    [
      process.execPath,
      '--max-semi-space-size=16',
      ...profiling,
      join(directory, 'bin/local.ts'),
      '--port',
      '0',
      '--json',
      '--data',
      data,
      '--catalog',
      catalog,
      ...(server ? ['--web'] : []),
    ],
    {
      env: {
        DYNAMODB_ENDPOINT: dynamodbEndpoint,
        ...credentials,
        ...(server ? { GATEWAY_LEASES: server.takesLeases ? 'on' : 'off' } : {}),
      },
      cwd: directory,
    },
  );
  // On AWS, these processes would run on other machines.
  const beside = await descendantsOf(gateway.pid);
  for (const { pid } of beside) pin(pid, AROUND);
  const workers = beside.filter(({ argv }) => argv[1]!.includes('worker'));
  const {
    base_url: baseUrl,
    web_url: webUrl,
    management_key: managementKey,
  } = JSON.parse(gateway.firstLine) as Record<'base_url' | 'web_url' | 'management_key', string>;
  // The other process of the gateway only creates keys.
  const answering = server
    ? beside.find(({ argv }) => argv[1]!.includes('/server-') && !argv.includes('--beside'))!.pid
    : gateway.pid;
  if (server) {
    pin(gateway.pid, AROUND);
    pin(answering, MEASURED);
  }
  const inferenceUrl = server ? webUrl : baseUrl;
  const newKey = async (fields: object = {}) => {
    const response = await fetch(`${baseUrl}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'bench', limit: 100_000_000, limit_reset: 'daily', ...fields }),
    });
    const { key, error } = (await response.json()) as { key?: string; error?: { message: string } };
    if (key === undefined) throw new Error(`No key was made: ${error?.message}`);
    return key;
  };
  const headers = { 'x-api-key': await newKey() };
  return {
    name,
    streams: true,
    target: (wire, shape) => ({ url: `${inferenceUrl}/messages`, headers, model: `bench/${wire}-${shape}` }),
    ...measuresOf(
      answering,
      workers.map(({ pid }) => pid),
    ),
    newKey,
    stop: gateway.stop,
  };
}

/** Returns a lane that calls the same gateway over chat completions, in which the benchmark's body is also valid. */
export function chatLane(gateway: GatewayLane): Lane {
  return {
    ...gateway,
    name: 'chat',
    target(wire, shape) {
      const target = gateway.target(wire, shape)!;
      return { ...target, url: target.url.replace(/\/messages$/, '/chat/completions') };
    },
    stop: () => Promise.resolve(),
  };
}

/** Checks out another version of this repository with its packages. */
export function checkOut(ref: string, directory: string): void {
  run(root, 'git', 'worktree', 'add', '--detach', '--force', directory, ref);
  if (lockOf(directory) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  else run(directory, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund');
}

function lockOf(directory: string): string {
  return readFileSync(join(directory, 'package-lock.json'), 'utf8');
}

function run(cwd: string, command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

export function removeCheckOut(directory: string): void {
  spawnSync('git', ['worktree', 'remove', '--force', directory], { cwd: root });
}

function measuresOf(pid: number, workers: number[] = []): Pick<Lane, 'cpuMs' | 'residentMb'> {
  return {
    async cpuMs() {
      const [answering, ...beside] = await Promise.all([pid, ...workers].map(reportOf));
      return { answering: answering!.cpuMs, beside: beside.reduce((sum, { cpuMs }) => sum + cpuMs, 0) };
    },
    residentMb: async () => (await reportOf(pid)).residentMb,
  };
}

/** Whether a peer answers this request. A peer that does not stream is measured without streams. */
function answers(name: string, target: Target, asked: Asked): Promise<boolean> {
  return request(target, asked).then(
    () => true,
    (error: Error) => {
      process.stderr.write(`${name} does not stream: ${error.message}\n`);
      return false;
    },
  );
}

/** Maximum time in ms until a gateway answers. LiteLLM may need a minute to start on a busy machine. */
const PATIENCE_MS = 180_000;

async function untilAnswers(url: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (performance.now() > deadlineMs) throw new Error(`Nothing answers at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
