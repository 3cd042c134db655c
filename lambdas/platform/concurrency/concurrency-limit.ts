/** @returns a function that runs a task; at most `limit` tasks run concurrently, and further tasks wait */
export function limitConcurrency(limit: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next task takes this task's slot, so `running` does not change.
      if (next) next();
      else running -= 1;
    }
  };
}
