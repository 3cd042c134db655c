import { describeError, log } from '../logger.ts';

export interface Refreshed<Value> {
  /** Returns the last value; undefined until a read has succeeded. */
  value: () => Value | undefined;
  /** Reads the value again if it is too old. Never rejects: after a failed read, the last value stays. */
  refresh: () => Promise<void>;
}

/**
 * Creates a value that is read again when it is too old.
 * @param options.everyMs minimum time in ms between the starts of two reads
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
      // Only the first of several failures in a row is logged.
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
      // If the last read seems to be in the future, the clock was set back, so the value is read again.
      const isFresh = begunAtMs !== undefined && begunAtMs <= atMs && atMs - begunAtMs < everyMs;
      if (!isFresh && !reading) {
        begunAtMs = atMs;
        reading = readAgain();
      }
      await reading;
    },
  };
}
