import type { ChangeMessageVisibilityBatchCommandInput } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { requireVariable } from '../environment.ts';
import { describeError, log } from '../logger.ts';
import { openQueueCalls } from './queue-calls.ts';

export interface QueueRetries {
  /**
   * Lets the queue deliver failed messages again after a few seconds. The wait doubles each time, up to two minutes.
   * Never rejects: after an error, the messages return after their visibility timeout.
   */
  retrySoon(records: SQSRecord[]): Promise<void>;
}

const FIRST_DELAY_SECONDS = 5;
const MAX_RETRY_DELAY_SECONDS = 120;
/** Maximum number of messages that SQS accepts in one call. */
const MAX_RETURNED_BATCH = 10;

/** Returns the wait until the next attempt. `receives` is the number of attempts so far. */
export function retryDelaySeconds(receives: number): number {
  return Math.min(MAX_RETRY_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (Math.max(1, receives) - 1));
}

/**
 * Creates the object that lets a queue deliver failed messages again soon.
 * @param urlVariable environment variable with the queue's URL
 */
export function openQueueReturns(urlVariable: string): QueueRetries {
  const queueUrl = requireVariable(urlVariable);
  const call = openQueueCalls(queueUrl);
  return {
    async retrySoon(records) {
      for (let start = 0; start < records.length; start += MAX_RETURNED_BATCH) {
        const entries = records
          .slice(start, start + MAX_RETURNED_BATCH)
          .map(({ receiptHandle, attributes }, index) => ({
            Id: String(index),
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: retryDelaySeconds(Number(attributes.ApproximateReceiveCount)),
          }));
        const request: ChangeMessageVisibilityBatchCommandInput = { QueueUrl: queueUrl, Entries: entries };
        await call('ChangeMessageVisibilityBatch', request).catch((error: unknown) =>
          log('warn', 'redelivery time of failed messages not set; they are redelivered late', describeError(error)),
        );
      }
    },
  };
}
