import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { SimulatedTime } from './simulated-time.ts';

interface Means {
  sleep: typeof timers.setTimeout;
  random: () => number;
  now: () => number;
  wallMs: () => number;
  timer: typeof setTimeout;
}

/**
 * Runs code in simulated time and with simulated chance. No other code may run at the same time, because clocks, timers
 * and chance are replaced for the whole process.
 */
export async function inSimulatedTime<Result>(
  time: SimulatedTime,
  chance: () => number,
  work: () => Promise<Result>,
): Promise<Result> {
  const real: Means = {
    sleep: timers.setTimeout,
    random: Math.random,
    now: performance.now.bind(performance),
    wallMs: Date.now,
    timer: setTimeout,
  };
  const startMs = time.nowMs();
  const sleep = (async (ms: number) => time.sleep(ms)) as typeof timers.setTimeout;
  const timer = ((act: () => void, ms: number) => {
    time.at(time.nowMs() + ms, act);
    return { unref: () => undefined };
  }) as unknown as typeof setTimeout;
  use({ sleep, random: chance, now: () => time.nowMs() - startMs, wallMs: () => Math.floor(time.nowMs()), timer });
  try {
    return await work();
  } finally {
    use(real);
  }
}

function use({ sleep, random, now, wallMs, timer }: Means): void {
  timers.setTimeout = sleep;
  // Modules that have imported a timer by its name get the replacement, too.
  syncBuiltinESMExports();
  Math.random = random;
  performance.now = now;
  Date.now = wallMs;
  globalThis.setTimeout = timer;
}
