import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSchedule, type Scheduler } from '../../lib/local/scheduler.ts';

/** Each run continues until the test ends it. */
let running: PromiseWithResolvers<void>[];
let scheduler: Scheduler;
beforeEach(() => {
  running = [];
  vi.useFakeTimers();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { resolve } of running) resolve();
  await scheduler.stop();
});

async function minutesOf(isRepeated: boolean, minutes: number): Promise<number> {
  scheduler = startSchedule({ everyMinutes: 1, isRepeated }, () => {
    const run = Promise.withResolvers<void>();
    running.push(run);
    return run.promise;
  });
  await vi.advanceTimersByTimeAsync(minutes * 60_000);
  return running.length;
}

it('a schedule starts no run before the previous one ends', async () => {
  expect(await minutesOf(false, 3)).toBe(1);
});

it('a schedule with repeated starts, which EventBridge allows, starts each run twice, also during earlier runs', async () => {
  expect(await minutesOf(true, 3)).toBe(6);
});
