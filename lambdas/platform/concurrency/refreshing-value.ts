import { describeError, log } from '../logger.ts';

/** A value that is read again concurrently with the requests that use it. */
export interface Refreshed<Value> {
  /** The last value; undefined until a first read has succeeded. */
  value: () => Value | undefined;
  /** Reads it again if it is too old. Never rejects: if the read fails, the last value stays. */
  refresh: () => Promise<void>;
}

/**
 * @param options.name for the log
 * @param options.everyMs maximum age, and the pause after a failed read
 */
export function refreshed<Value>(
  read: () => Promise<Value>,
  { name, everyMs, nowMs }: { name: string; everyMs: number; nowMs: () => number },
): Refreshed<Value> {
  let value: Value | undefined;
  let begunAtMs: number | undefined;
  let isFailing = false;
  let reading: Promise<void> | undefined;
  const readAgain = async () => {
    try {
      value = await read();
      isFailing = false;
    } catch (error) {
      // Logged once, not with every request while the table is unavailable.
      if (!isFailing) log('warn', `${name} not read`, describeError(error));
      isFailing = true;
    } finally {
      reading = undefined;
    }
  };
  return {
    value: () => value,
    async refresh() {
      const atMs = nowMs();
      // A time in the future was recorded before the clock was set back.
      const isFresh = begunAtMs !== undefined && begunAtMs <= atMs && atMs - begunAtMs < everyMs;
      if (!isFresh && !reading) {
        begunAtMs = atMs;
        reading = readAgain();
      }
      await reading;
    },
  };
}
