const ROUNDS = 3;

/** CPU milliseconds of this thread, independent of other work on this machine. */
async function threadCpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * CPU milliseconds of the cheapest of several rounds, because a round may include garbage collection for other tests.
 * @param maxMs stops after a round below it
 */
export async function lowestThreadCpuMs(work: () => unknown, maxMs: number): Promise<number> {
  let lowestMs = Infinity;
  for (let round = 0; round < ROUNDS && lowestMs >= maxMs; round += 1) {
    lowestMs = Math.min(lowestMs, await threadCpuMs(work));
  }
  return lowestMs;
}
