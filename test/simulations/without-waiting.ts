import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { SimulatedTime } from './simulated-time.ts';

interface Means {
  sleep: typeof timers.setTimeout;
  random: () => number;
  now: () => number;
}

/** Runs code that waits and throws dice by itself in simulated time, with simulated dice. Nothing else may run meanwhile. */
export async function inSimulatedTime<Result>(
  time: SimulatedTime,
  chance: () => number,
  work: () => Promise<Result>,
): Promise<Result> {
  const real = { sleep: timers.setTimeout, random: Math.random, now: performance.now.bind(performance) };
  const startMs = time.nowMs();
  const sleep = (async (ms: number) => time.sleep(ms)) as typeof timers.setTimeout;
  use({ sleep, random: chance, now: () => time.nowMs() - startMs });
  try {
    return await work();
  } finally {
    use(real);
  }
}

function use({ sleep, random, now }: Means): void {
  timers.setTimeout = sleep;
  // Those who have imported it by its name have the new one, too.
  syncBuiltinESMExports();
  Math.random = random;
  performance.now = now;
}
