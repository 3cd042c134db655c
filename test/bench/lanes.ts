/** What is measured side by side: the upstream itself, bytes piped, gateways of ours and of others. */

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credentials, type Shape, type WireName } from './bench-catalog.ts';
import { request, type Asked, type Target } from './load.ts';
import { descendantsOf, reportOf } from '../support/processes.ts';
import { pin, startPinned } from './processes.ts';

/** The core of what is measured, and that of everything else. */
const MEASURED = 1;
const AROUND = 0;

export interface Lane {
  name: string;
  /** Undefined where it does not speak to this wire. */
  target: (wire: WireName, shape: Shape) => Target | undefined;
  /** Some gateways fail at streams with some versions of what they are built on. */
  streams: boolean;
  /** CPU that it has used, in milliseconds: of the process that answers, and of those that work beside it. */
  cpuMs: () => Promise<{ answering: number; beside: number }>;
  residentMb: () => Promise<number>;
  stop: () => Promise<void>;
}

/** A gateway of this repository, at some version. */
export interface GatewayLane extends Lane {
  /** @returns a key that the gateway has never seen */
  newKey: (fields?: object) => Promise<string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The upstream, asked without anything between. Its answers are made of the same bytes on every wire. */
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
}

/** Another gateway, which passes the Messages API on to the upstream: as its users run it, for production. */
export async function peerLane({ name, command, url, headers }: PeerOptions): Promise<Lane> {
  const peer = await startPinned(MEASURED, command, { env: { NODE_ENV: 'production' } });
  await untilAnswers(url);
  const target = (shape: Shape): Target => ({ url, headers, model: shape });
  return {
    name,
    streams: await answers(name, target('5x2'), { stream: true }),
    target: (wire, shape) => (wire === 'anthropic' ? target(shape) : undefined),
    ...measuresOf(peer.pid),
    stop: peer.stop,
  };
}

export interface GatewayOptions {
  name: string;
  /** Where it keeps its data. */
  data: string;
  catalog: string;
  dynamodbEndpoint: string;
  /** Where its source is. */
  directory?: string;
  /** Where it leaves a profile of its CPU when it ends. */
  profiles?: string | undefined;
  /** Measures the server that runs beside it (`--web`), with or without leases. */
  server?: { takesLeases: boolean } | undefined;
}

/** As `npm start` starts it, with everything that it does for a paying client. */
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
  // What AWS would run elsewhere: the queue, the workers.
  const beside = await descendantsOf(gateway.pid);
  for (const { pid } of beside) pin(pid, AROUND);
  const workers = beside.filter(({ argv }) => argv[1]!.includes('worker'));
  const {
    base_url: baseUrl,
    web_url: webUrl,
    management_key: managementKey,
  } = JSON.parse(gateway.firstLine) as Record<'base_url' | 'web_url' | 'management_key', string>;
  // A server is a process of its own, and what it stands beside has nothing to do but keys.
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

/** The same gateway, asked over chat completions: such a body is one of either API. */
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

/** Another version of this repository, checked out beside it, with the packages that it asks for. */
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

/** A peer that does not stream is measured without; the reason is said, because it is seldom the peer's own. */
function answers(name: string, target: Target, asked: Asked): Promise<boolean> {
  return request(target, asked).then(
    () => true,
    (error: Error) => {
      process.stderr.write(`${name} does not stream: ${error.message}\n`);
      return false;
    },
  );
}

const PATIENCE_MS = 15_000;

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
