import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningGateway } from './gateway.ts';

/** The environment of a gateway that can be asked for its memory; its heap is bounded as by `npm start`. */
export const memoryEnvironment = {
  NODE_OPTIONS: `--max-semi-space-size=8 --require ${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
};

interface KeptMemory {
  /** Bytes of objects. */
  heapUsed: number;
  /** Bytes of buffers and of what else V8 is told of. */
  external: number;
}

/** The answer of a gateway to a signal, behind a word. @throws when it does not come in time */
async function reportOf(gateway: RunningGateway, signal: NodeJS.Signals, word: string): Promise<string> {
  const reports = () => [...gateway.log().matchAll(new RegExp(`^${word} (.*)$`, 'gm'))];
  const before = reports().length;
  gateway.process.kill(signal);
  const deadline = performance.now() + 10_000;
  while (reports().length === before && performance.now() < deadline) await sleep(20);
  return reports()[before]![1]!;
}

/** The memory that a gateway keeps after its garbage is collected. @throws when it does not report in time */
async function memoryOf(gateway: RunningGateway): Promise<KeptMemory> {
  return JSON.parse(await reportOf(gateway, 'SIGUSR2', 'collected')) as KeptMemory;
}

/** Timers that wait, also those that keep no process alive. @throws when it does not report in time */
export async function timersOf(gateway: RunningGateway): Promise<number> {
  return Number(await reportOf(gateway, 'SIGCONT', 'timers'));
}

const bytesOf = ({ heapUsed, external }: KeptMemory) => heapUsed + external;

const STEADY_BYTES = 16 * 1024;
const STEADY_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 200;

/** The bytes that it keeps, once they do not change any more: what answers leave to be done is done then, also where the machine is busy. */
export async function steadyBytesOf(gateway: RunningGateway): Promise<number> {
  const deadline = performance.now() + STEADY_WITHIN_MS;
  for (let before = await memoryOf(gateway); ;) {
    await sleep(LOOK_EVERY_MS);
    const now = await memoryOf(gateway);
    const isSteady = Math.abs(bytesOf(now) - bytesOf(before)) < STEADY_BYTES;
    if (isSteady || performance.now() > deadline) return bytesOf(now);
    before = now;
  }
}
