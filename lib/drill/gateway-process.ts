import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StartFailure } from '../local/failure.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A gateway in a process of its own, as `npm start` starts it, and its clients. */
export interface DrilledGateway {
  /** An inference key; it is shown at the first start alone. */
  key: string;
  /** @returns what an answer has cost in RUB; undefined where there was none */
  ask: (key: string) => Promise<number | undefined>;
  spentRub: (key: string) => Promise<number>;
  stop: () => Promise<void>;
}

/** @throws {StartFailure} where it does not start */
export async function startedGateway(data: string): Promise<DrilledGateway> {
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0', '--data', data], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => first as string),
    once(child, 'exit').then(() => Promise.reject(new StartFailure('The gateway did not start.'))),
  ]);
  const ready = JSON.parse(line) as { base_url: string; inference_key: string };
  const asking = (path: string, key: string, body?: object) =>
    fetch(`${ready.base_url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  return {
    key: ready.inference_key,
    async ask(key) {
      const messages = [{ role: 'user', content: 'Hello\n@sandbox delay=0' }];
      const answer = await asking('/messages', key, { model: 'sandbox/claude', max_tokens: 20, messages });
      if (answer.status !== 200) return undefined;
      return ((await answer.json()) as { usage: { cost: number } }).usage.cost;
    },
    async spentRub(key) {
      // What was answered last may not be settled yet.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return ((await (await asking('/key', key)).json()) as { data: { usage: number } }).data.usage;
    },
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Runs a command of ours. @returns its exit code, and its answer as JSON */
export async function runCommand(
  entry: string,
  args: readonly string[],
): Promise<{ code: number; answer: Record<string, unknown> }> {
  const child = spawn(process.execPath, [entry, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const answer = output.trim() === '' ? {} : (JSON.parse(output) as Record<string, unknown>);
  return { code: child.exitCode ?? 1, answer };
}
