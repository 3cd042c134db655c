/**
 * Simulated time and chance: events run in the order of their times, and random numbers come from a seed. The same seed
 * gives the same run.
 */

export interface SimulatedTime {
  nowMs: () => number;
  /** Resolves when this time has passed. */
  sleep: (ms: number) => Promise<void>;
  at: (timeMs: number, act: () => void) => void;
  /** Stops the simulated time until some work is done that runs outside of the simulation. */
  outside: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Advances the time until this time. */
  run: (untilMs: number) => Promise<void>;
  /** Advances the time until some work is done. */
  during: <Result>(work: Promise<Result>) => Promise<Result>;
}

/**
 * Creates a simulated time.
 * @param startMs simulated time at the start, in epoch milliseconds
 */
export function simulatedTime(startMs: number): SimulatedTime {
  let nowMs = startMs;
  let events: { timeMs: number; act: () => void }[] = [];
  const working = new Set<Promise<unknown>>();
  const at = (timeMs: number, act: () => void) => void events.push({ timeMs, act });
  /** Runs the events of the next time, and all code that follows from them without waiting. */
  const step = async (timeMs: number) => {
    nowMs = timeMs;
    const due = events.filter((event) => event.timeMs === timeMs);
    events = events.filter((event) => event.timeMs !== timeMs);
    for (const { act } of due) act();
    do {
      await Promise.allSettled(working);
      await new Promise((resolve) => setImmediate(resolve));
    } while (working.size > 0);
  };
  const nextMs = () => Math.min(...events.map(({ timeMs }) => timeMs));
  return {
    nowMs: () => nowMs,
    at,
    sleep: (ms) => new Promise((resolve) => at(nowMs + ms, resolve)),
    outside(work) {
      working.add(work);
      return work.finally(() => working.delete(work));
    },
    async run(untilMs) {
      while (nextMs() <= untilMs) await step(nextMs());
      nowMs = untilMs;
    },
    async during(work) {
      const state = { isOver: false };
      void work.finally(() => (state.isOver = true)).catch(() => {});
      while (!state.isOver && events.length > 0) await step(nextMs());
      return work;
    },
  };
}

/** Returns a generator of numbers from 0 to 1, random enough for a simulation (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
