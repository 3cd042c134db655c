import type { QueueName } from '../../route.ts';

/** Returns a function that opens a value on its first call. */
export function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}

/**
 * Like `once`, for a value that is opened asynchronously. If opening fails, the next call of the returned function
 * tries again.
 */
export function onceOpen<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () =>
    (value ??= open().catch((error: unknown) => {
      value = undefined;
      throw error;
    }));
}

/** Returns a function that opens a value for each queue, on the first call for that queue. */
export function perQueue<Value>(open: (name: QueueName) => Value): (name: QueueName) => Value {
  const opened: Partial<Record<QueueName, Value>> = {};
  return (name) => (opened[name] ??= open(name));
}
