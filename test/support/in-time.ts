import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns whether work of this process ends, or fails, before a timer that starts at the same time. A pause of the
 * process delays both, so a busy machine does not change the result.
 */
export async function isEndedWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const isEnded = await Promise.race([ended, late]);
  timer.abort();
  return isEnded;
}
