import { describeError, log } from '../logger.ts';

/** A value that was read from somewhere, and is read again beside the requests that use it. */
export interface Refreshed<Value> {
  /** What was read last; undefined until a first reading has succeeded. */
  value: () => Value | undefined;
  /** Reads it again, if it is older than it should be. Never rejects: without a reading the last value stays. */
  refresh: () => Promise<void>;
}

/**
 * @param options.name what the log calls it
 * @param options.everyMs how old it may become, and how long a failed reading is not repeated
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
      // Once, not with every request while the table is away.
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
      // A time in the future was noted before the clock was set back.
      const isFresh = begunAtMs !== undefined && begunAtMs <= atMs && atMs - begunAtMs < everyMs;
      if (!isFresh && !reading) {
        begunAtMs = atMs;
        reading = readAgain();
      }
      await reading;
    },
  };
}
