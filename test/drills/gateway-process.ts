import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { StartFailure } from '../../lib/shared/failure.ts';
import { projectDirectory } from '../../lib/shared/project-directory.ts';

export interface DrilledAnswer {
  status: number;
  /** Status; for a refusal, also the type of error, and whether the response has `retry-after`. */
  seen: string;
  /** Cost in the response; undefined unless the status is 200. */
  costRub: number | undefined;
  durationMs: number;
}

/** Gateway in a separate process, started as `npm start` starts it. */
export interface DrilledGateway {
  /** The gateway prints this key only at its first start. */
  key: string;
  /**
   * Sends a request.
   * @param model default: the sandbox's model
   */
  ask: (key: string, model?: string) => Promise<DrilledAnswer>;
  /**
   * Starts a streamed answer that takes many seconds.
   * @returns once the stream has begun; `isWhole` resolves to true if the stream completed
   */
  begin: (key: string) => Promise<{ isWhole: Promise<boolean> }>;
  /** `leftRub` is the amount of the limit that remains after holds; null without a limit. */
  spendingOf: (key: string) => Promise<{ spentRub: number; leftRub: number | null }>;
  /** Reads the spending after a pause in which the last answers can settle. */
  spentRub: (key: string) => Promise<number>;
  hasLogged: (words: string) => boolean;
  stop: () => Promise<void>;
}

interface GatewayMore {
  args?: string[];
  env?: Record<string, string>;
}

const MAX_LOG = 1_000_000;
const MAX_LAST_WORDS = 1_000;

/**
 * Starts a gateway.
 * @throws {StartFailure} if it does not start
 */
export async function startedGateway(data: string, { args = [], env = {} }: GatewayMore = {}): Promise<DrilledGateway> {
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0', '--data', data, ...args], {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-MAX_LOG)));
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => first as string),
    once(child, 'exit').then(() =>
      Promise.reject(new StartFailure(`The gateway did not start. The end of its log: ${log.slice(-MAX_LAST_WORDS)}`)),
    ),
  ]);
  const ready = JSON.parse(line) as { base_url: string; inference_key: string };
  const asking = (path: string, key: string, body?: object) =>
    fetch(`${ready.base_url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  const spendingOf: DrilledGateway['spendingOf'] = async (key) => {
    const { data: shown } = (await (await asking('/key', key)).json()) as {
      data: { usage: number; limit_remaining: number | null };
    };
    return { spentRub: shown.usage, leftRub: shown.limit_remaining };
  };
  return {
    key: ready.inference_key,
    async ask(key, model = 'sandbox/claude') {
      const messages = [{ role: 'user', content: 'Hello\n@sandbox delay=0' }];
      const beganMs = performance.now();
      const response = await asking('/messages', key, { model, max_tokens: 20, messages });
      return drilledAnswer(response, await response.text(), performance.now() - beganMs);
    },
    spendingOf,
    async spentRub(key) {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return (await spendingOf(key)).spentRub;
    },
    async begin(key) {
      const messages = [{ role: 'user', content: 'Hello\n@sandbox delay=1000' }];
      const body = { model: 'sandbox/claude', max_tokens: 60, stream: true, messages };
      const response = await asking('/messages', key, body);
      if (response.status !== 200) throw new StartFailure(`A stream did not begin: ${response.status}`);
      return {
        isWhole: response.text().then(
          (events) => events.includes('event: message_stop'),
          () => false,
        ),
      };
    },
    hasLogged: (words) => log.includes(words),
    stop: () => ended(child),
  };
}

function drilledAnswer({ status, headers }: Response, text: string, durationMs: number): DrilledAnswer {
  const body = JSON.parse(text) as { usage?: { cost: number }; error?: { type: string } };
  if (status === 200) return { status, seen: '200', costRub: body.usage!.cost, durationMs };
  const comeBack = headers.has('retry-after') ? ' with retry-after' : '';
  return { status, seen: `${status} ${body.error?.type ?? 'of no type'}${comeBack}`, costRub: undefined, durationMs };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Runs a command of this project, and returns its exit code and JSON output. */
export async function runCommand(
  entry: string,
  args: readonly string[],
): Promise<{ code: number; answer: Record<string, unknown> }> {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const answer = output.trim() === '' ? {} : (JSON.parse(output) as Record<string, unknown>);
  return { code: child.exitCode ?? 1, answer };
}
