import type { QueueName } from '../route.ts';

/** What is opened on first use, and stays open. */
export function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}

/** The same for each queue. */
export function perQueue<Value>(open: (name: QueueName) => Value): (name: QueueName) => Value {
  const opened: Partial<Record<QueueName, Value>> = {};
  return (name) => (opened[name] ??= open(name));
}
