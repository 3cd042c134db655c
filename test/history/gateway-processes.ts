/** Processes of a gateway as `npm start` starts it, each of which can be killed alone. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { programOf } from '../support/programs.ts';
import { descendantsOf, reporting } from '../support/processes.ts';

export interface ReadyLine {
  base_url: string;
  streaming_url: string;
  web_url?: string;
  inference_key: string | null;
  management_key: string | null;
  account_id: string;
  workspace_id: string;
}

type Descendants = Awaited<ReturnType<typeof descendantsOf>>;

export type Role = 'front' | 'server' | 'workers' | 'queues';

export interface GatewayTerms {
  data: string;
  endpoint: string;
  catalogPath: string;
  hasServer: boolean;
  logFile: string;
  /** Milliseconds by which the gateway's clock is ahead of this machine's clock. */
  clockOffsetMs: number;
}

/** A start may include the sweep of the holds of earlier processes. */
const START_TIMEOUT_MS = 180_000;
const MAX_LAST_WORDS = 600;

export class GatewayProcesses {
  readonly ready: ReadyLine;
  readonly startedAtMs: number;
  readonly clockOffsetMs: number;
  readonly #front: ChildProcess;
  readonly #builds: string[];
  readonly #pids: Record<Role, number | undefined>;

  private constructor(
    front: ChildProcess,
    ready: ReadyLine,
    {
      startedAtMs,
      clockOffsetMs,
      descendants,
    }: Pick<GatewayProcesses, 'startedAtMs' | 'clockOffsetMs'> & { descendants: Descendants },
  ) {
    this.#front = front;
    this.ready = ready;
    this.startedAtMs = startedAtMs;
    this.clockOffsetMs = clockOffsetMs;
    this.#builds = descendants.flatMap(({ argv }) => /\S+\/server-[^/\s]+(?=\/)/.exec(argv.join(' '))?.[0] ?? []);
    const pidOf = (words: RegExp) => descendants.find(({ argv }) => words.test(argv.join(' ')))?.pid;
    this.#pids = {
      front: front.pid,
      server: pidOf(/\/server-/),
      workers: pidOf(/workers-main/),
      queues: pidOf(/aws-server/),
    };
  }

  /**
   * Starts a gateway.
   * @throws {Error} with the end of the log if the gateway does not start
   */
  static async start(terms: GatewayTerms): Promise<GatewayProcesses> {
    const startedAtMs = Date.now();
    const front = await spawnGateway(terms);
    const log = createWriteStream(terms.logFile, { flags: 'a' });
    let lastWords = '';
    front.stderr!.on('data', (chunk: Buffer) => {
      log.write(chunk);
      lastWords = `${lastWords}${chunk.toString()}`.slice(-MAX_LAST_WORDS);
    });
    front.once('close', () => log.end());
    const line = await Promise.race([
      once(createInterface(front.stdout!), 'line').then(([text]) => text as string),
      once(front, 'exit').then(() => undefined),
      sleep(START_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    if (line === undefined) {
      await endTree(front);
      throw new Error(`The gateway did not start: ${lastWords}`);
    }
    return new GatewayProcesses(front, JSON.parse(line) as ReadyLine, {
      startedAtMs,
      clockOffsetMs: terms.clockOffsetMs,
      descendants: await descendantsOf(front.pid!),
    });
  }

  get pids(): number[] {
    return Object.values(this.#pids).filter((pid) => pid !== undefined);
  }

  get hasEnded(): boolean {
    return this.#front.exitCode !== null || this.#front.signalCode !== null;
  }

  /** Sends a signal to a process, and returns whether the process existed. */
  async signal(role: Role, signal: NodeJS.Signals): Promise<boolean> {
    // A paused process cannot report its id.
    return sendSignal(signal === 'SIGCONT' ? this.#pids[role] : await this.#pidNow(role), signal);
  }

  /** Returns the current id of a process. Workers are restarted when they end, so their id may have changed. */
  async #pidNow(role: Role): Promise<number | undefined> {
    if (role !== 'workers' || this.hasEnded) return this.#pids[role];
    const descendants = await descendantsOf(this.#front.pid!);
    const found = descendants.find(({ argv }) => argv.join(' ').includes('workers-main'));
    this.#pids.workers = found?.pid ?? this.#pids.workers;
    return this.#pids.workers;
  }

  /** Returns whether the front process ends within this time. */
  async endsWithin(timeoutMs: number): Promise<boolean> {
    if (this.hasEnded) return true;
    await Promise.race([once(this.#front, 'exit'), sleep(timeoutMs, undefined, { ref: false })]);
    return this.hasEnded;
  }

  /** Directories of bundles, which a killed process does not remove. */
  get builds(): string[] {
    return this.#builds;
  }

  survivors(): Role[] {
    const roles = Object.keys(this.#pids) as Role[];
    return roles.filter((role) => this.#pids[role] !== undefined && isAlive(this.#pids[role]));
  }

  killAll(): void {
    for (const pid of this.pids) {
      sendSignal(pid, 'SIGCONT');
      sendSignal(pid, 'SIGKILL');
    }
  }
}

async function spawnGateway(terms: GatewayTerms): Promise<ChildProcess> {
  const { data, endpoint, catalogPath, hasServer, clockOffsetMs } = terms;
  const now = new Date(Date.now() + clockOffsetMs).toISOString();
  const args = ['--port', '0', '--json', '--data', data, '--catalog', catalogPath, '--now', now];
  return spawn(
    process.execPath,
    ['--max-semi-space-size=16', await programOf('bin/local.ts'), ...args, ...(hasServer ? ['--web'] : [])],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A signal to the group of the history must not reach the gateway.
      detached: true,
      env: reporting({ ...process.env, DYNAMODB_ENDPOINT: endpoint }),
    },
  );
}

/** Ends a process that has not become ready, with the processes that it has started. */
async function endTree(front: ChildProcess): Promise<void> {
  if (front.exitCode !== null || front.signalCode !== null) return;
  const started = await descendantsOf(front.pid!);
  for (const pid of [front.pid!, ...started.map((one) => one.pid)]) sendSignal(pid, 'SIGKILL');
}

export function isAlive(pid: number): boolean {
  return sendSignal(pid, 0);
}

function sendSignal(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(pid, signal);
  } catch {
    return false;
  }
}
