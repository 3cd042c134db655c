/** Simulated time and chance: events run in the order of their times, and the same seed gives the same run. */

export interface SimulatedTime {
  nowMs: () => number;
  sleep: (ms: number) => Promise<void>;
  at: (timeMs: number, act: () => void) => void;
  /** Stops the simulated time until work outside of the simulation is done. */
  outside: <Result>(work: Promise<Result>) => Promise<Result>;
  run: (untilMs: number) => Promise<void>;
  /** Advances the time until the work is done. */
  during: <Result>(work: Promise<Result>) => Promise<Result>;
}

/**
 * Starts a simulated time.
 * @param startMs epoch milliseconds
 */
export function simulatedTime(startMs: number): SimulatedTime {
  let nowMs = startMs;
  const events = new Map<number, (() => void)[]>();
  const working = new Set<Promise<unknown>>();
  const at = (timeMs: number, act: () => void) => {
    const due = events.get(timeMs);
    if (due) due.push(act);
    else events.set(timeMs, [act]);
  };
  /** Runs the events of the next time, and all code that follows from them without waiting. */
  const step = async (timeMs: number) => {
    nowMs = timeMs;
    const due = events.get(timeMs)!;
    events.delete(timeMs);
    for (const act of due) act();
    do {
      await Promise.allSettled(working);
      await new Promise((resolve) => setImmediate(resolve));
    } while (working.size > 0);
  };
  const nextMs = () => {
    let first = Infinity;
    for (const timeMs of events.keys()) if (timeMs < first) first = timeMs;
    return first;
  };
  return {
    nowMs: () => nowMs,
    at,
    sleep: (ms) => new Promise((resolve) => at(nowMs + ms, resolve)),
    outside(work) {
      working.add(work);
      return work.finally(() => working.delete(work));
    },
    async run(untilMs) {
      for (let next = nextMs(); next <= untilMs; next = nextMs()) await step(next);
      nowMs = untilMs;
    },
    async during(work) {
      const state = { isOver: false };
      void work.finally(() => (state.isOver = true)).catch(() => {});
      while (!state.isOver && events.size > 0) await step(nextMs());
      return work;
    },
  };
}

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
