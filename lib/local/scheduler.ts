import { nowMs } from '../../lambdas/platform/clock.ts';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import type { Invoke } from './event-source.ts';

export interface Scheduler {
  stop: () => Promise<void>;
}

/** Runs start this long after the full minute, so that they see what happened at it. */
const AFTER_MINUTE_MS = 3_500;

/**
 * Runs a scheduled worker every `everyMinutes`, a few seconds after the full minute of the gateway's clock; never two
 * runs at once.
 */
export function startSchedule(everyMinutes: number, invoke: Invoke): Scheduler {
  const periodMs = everyMinutes * 60_000;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout;
  const run = () => {
    running ??= invoke({})
      .then(() => undefined)
      .catch((error: unknown) => log('error', 'scheduled worker failed', describeError(error)))
      .finally(() => (running = undefined));
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
      await running;
    },
  };
}
