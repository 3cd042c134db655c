import type { QueueName } from '../../route.ts';

/** A value that is opened on first use, and stays open. */
export function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}

/** The same for a value that may fail to open: the next use tries again. */
export function onceOpen<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () =>
    (value ??= open().catch((error: unknown) => {
      value = undefined;
      throw error;
    }));
}

/** The same for each queue. */
export function perQueue<Value>(open: (name: QueueName) => Value): (name: QueueName) => Value {
  const opened: Partial<Record<QueueName, Value>> = {};
  return (name) => (opened[name] ??= open(name));
}
