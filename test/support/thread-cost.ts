const ROUNDS = 3;

/** Returns the CPU milliseconds of this thread, independent of other work on this machine. */
async function threadCpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns the CPU milliseconds of the cheapest of several rounds, because a round may include garbage collection for
 * other tests.
 * @param maxMs no further round is run after a round below this time
 */
export async function lowestThreadCpuMs(work: () => unknown, maxMs: number): Promise<number> {
  let lowestMs = Infinity;
  for (let round = 0; round < ROUNDS && lowestMs >= maxMs; round += 1) {
    lowestMs = Math.min(lowestMs, await threadCpuMs(work));
  }
  return lowestMs;
}
