import { describeError, log } from '../../lambdas/platform/logger.ts';
import type { Invoke } from './event-source.ts';

export interface Scheduler {
  stop: () => Promise<void>;
}

/** Runs a scheduled worker every so many minutes; a run that is still going is not overtaken. */
export function startSchedule(everyMinutes: number, invoke: Invoke): Scheduler {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= invoke({})
      .then(() => undefined)
      .catch((error: unknown) => log('error', 'scheduled worker failed', describeError(error)))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(run, everyMinutes * 60_000);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
