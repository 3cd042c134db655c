import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import type { RunningGateway } from './gateway.ts';

/** Environment of a gateway whose memory can be measured. */
export const memoryEnvironment = {
  NODE_OPTIONS: `--max-semi-space-size=8 --require ${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
};

interface KeptMemory {
  /** Bytes of JavaScript objects. */
  heapUsed: number;
  /** Bytes of buffers and other external memory that V8 counts. */
  external: number;
}

/**
 * Sends a signal, and returns the text after `word` in the line that the gateway then logs.
 * @throws {Error} if the line does not arrive in time
 */
async function reportOf(gateway: RunningGateway, signal: NodeJS.Signals, word: string): Promise<string> {
  const reports = () => [...gateway.log().matchAll(new RegExp(`^${word} (.*)$`, 'gm'))];
  const before = reports().length;
  gateway.process.kill(signal);
  return eventually(() => reports()[before]![1]!, 20);
}

/** Memory after garbage collection. */
async function memoryOf(gateway: RunningGateway): Promise<KeptMemory> {
  return JSON.parse(await reportOf(gateway, 'SIGUSR2', 'collected')) as KeptMemory;
}

/** Pending timers, including unreferenced ones. */
export async function timersOf(gateway: RunningGateway): Promise<number> {
  return Number(await reportOf(gateway, 'SIGCONT', 'timers'));
}

const bytesOf = ({ heapUsed, external }: KeptMemory) => heapUsed + external;

const STEADY_BYTES = 16 * 1024;
const STEADY_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 200;

/** Returns the retained bytes when they no longer change, or else the last measurement. */
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
