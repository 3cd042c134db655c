import type { GetQueueAttributesCommandInput, GetQueueAttributesResult } from '@aws-sdk/client-sqs';
import { requireVariable } from '../environment.ts';
import { openQueueCalls } from './queue-calls.ts';

/** Roughly how many messages of a queue are waiting, being processed, and given up. */
export interface QueueLevels {
  waiting: number;
  inFlight: number;
  dead: number;
}

export interface QueueGauge {
  /** @throws when one of the queues cannot be read. */
  read(): Promise<QueueLevels>;
}

/**
 * @param urlVariable environment variable that holds the queue's URL
 * @param deadLettersVariable the same for its dead-letter queue
 */
export function openQueueGauge(urlVariable: string, deadLettersVariable: string): QueueGauge {
  const urls = [requireVariable(urlVariable), requireVariable(deadLettersVariable)] as const;
  const call = openQueueCalls(urls[0]);
  const readOne = async (url: string) => {
    const request: GetQueueAttributesCommandInput = {
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    };
    const { Attributes: counts } = await call<GetQueueAttributesResult>('GetQueueAttributes', request);
    return {
      waiting: Number(counts?.['ApproximateNumberOfMessages']) + Number(counts?.['ApproximateNumberOfMessagesDelayed']),
      inFlight: Number(counts?.['ApproximateNumberOfMessagesNotVisible']),
    };
  };
  return {
    async read() {
      // In the order in which messages move: one that is given up meanwhile is seen in at least one of the two.
      const queue = await readOne(urls[0]);
      const deadLetters = await readOne(urls[1]);
      return { ...queue, dead: deadLetters.waiting + deadLetters.inFlight };
    },
  };
}
