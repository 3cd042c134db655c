import { nowMs } from '../../lambdas/platform/clock.ts';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import type { Invoke } from './event-source.ts';

export interface Scheduler {
  stop: () => Promise<void>;
}

/** Delay of each run after the full minute, so that the run includes changes made at the full minute. */
const AFTER_MINUTE_MS = 3_500;

interface Schedule {
  everyMinutes: number;
  /**
   * Whether each run is started twice, even if earlier runs have not ended; if false, at most one run exists at a time.
   */
  isRepeated: boolean;
}

/** Runs a scheduled worker every `everyMinutes`, a few seconds after a full minute of the gateway's clock. */
export function startSchedule({ everyMinutes, isRepeated }: Schedule, invoke: Invoke): Scheduler {
  const periodMs = everyMinutes * 60_000;
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout;
  const begin = () => {
    const run: Promise<void> = invoke({})
      .then(() => undefined)
      .catch((error: unknown) => log('error', 'scheduled worker failed', describeError(error)))
      .finally(() => running.delete(run));
    running.add(run);
  };
  const run = () => {
    if (isRepeated || running.size === 0) begin();
    if (isRepeated) begin();
    wait();
  };
  const wait = () => {
    const sinceRunMs = (nowMs() - AFTER_MINUTE_MS) % periodMs;
    timer = setTimeout(run, periodMs - sinceRunMs);
  };
  wait();
  return {
    async stop() {
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
