import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningGateway } from './gateway.ts';

/** The environment of a gateway that can be asked for its memory; its heap is bounded as by `npm start`. */
export const memoryEnvironment = {
  NODE_OPTIONS: `--max-semi-space-size=8 --require ${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
};

/** Memory that a gateway needs after its garbage is collected, in bytes. @throws when it does not report in time */
export async function memoryOf(gateway: RunningGateway): Promise<{ rss: number; heapUsed: number }> {
  const reports = () => [...gateway.log().matchAll(/^collected (.*)$/gm)];
  const before = reports().length;
  gateway.process.kill('SIGUSR2');
  const deadline = performance.now() + 10_000;
  while (reports().length === before && performance.now() < deadline) await sleep(20);
  return JSON.parse(reports()[before]![1]!) as { rss: number; heapUsed: number };
}
