import type { GetQueueAttributesCommandInput, GetQueueAttributesResult } from '@aws-sdk/client-sqs';
import { requireVariable } from '../environment.ts';
import { openQueueCalls } from './queue-calls.ts';

export interface QueueLevels {
  waiting: number;
  inFlight: number;
  dead: number;
}

export interface QueueGauge {
  /** @throws {Error} if one of the two queues cannot be read */
  read(): Promise<QueueLevels>;
}

/**
 * Opens the counts of a queue and its dead-letter queue. The parameters name the environment variables with their URLs.
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
      // A failed message that moves to the dead-letter queue between the two reads is counted twice rather than missed.
      const queue = await readOne(urls[0]);
      const deadLetters = await readOne(urls[1]);
      return { ...queue, dead: deadLetters.waiting + deadLetters.inFlight };
    },
  };
}
