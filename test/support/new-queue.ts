import { createQueue, type LocalSqs } from '../../lib/local/queues.ts';

/** Creates a queue with its dead-letter queue. */
export function newQueue(sqs: LocalSqs): Promise<{ url: string; deadLettersUrl: string }> {
  const name = `queue-${Math.random().toString(36).slice(2)}`;
  return createQueue(sqs, name, { visibilityTimeoutSeconds: 600, maxReceiveCount: 3, deadLetters: `${name}-dead` });
}
