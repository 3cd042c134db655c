import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { openQueueCalls } from '../../lambdas/platform/queues/queue-calls.ts';
import { receive, startSqs, type LocalSqs } from '../../lib/local/queues.ts';
import { newQueue } from '../support/new-queue.ts';

let sqs: LocalSqs;
let url: string;
beforeAll(async () => {
  sqs = await startSqs();
  process.env[variables.sqsEndpoint] = sqs.endpoint;
});
beforeEach(async () => {
  ({ url } = await newQueue(sqs));
});
afterAll(() => sqs.stop());

const entries = (...bodies: string[]) => bodies.map((body, index) => ({ Id: String(index), MessageBody: body }));

describe('a call to SQS', () => {
  it('sends messages', async () => {
    const call = openQueueCalls(url);

    const { Failed: failed = [] } = await call<{ Failed?: object[] }>('SendMessageBatch', {
      QueueUrl: url,
      Entries: entries('one', 'two'),
    });

    expect(failed).toEqual([]);
    const taken = await receive(sqs, url, 0);
    expect(taken.length).toBeGreaterThan(0);
  });

  it('is refused for a message with a character that SQS does not allow', async () => {
    const sent = openQueueCalls(url)('SendMessageBatch', { QueueUrl: url, Entries: entries('\uFFFF') });

    await expect(sent).rejects.toMatchObject({ name: 'InvalidMessageContents' });
  });

  it('counts waiting messages', async () => {
    const call = openQueueCalls(url);
    await call('SendMessageBatch', { QueueUrl: url, Entries: entries('one', 'two', 'three') });

    const { Attributes: counts } = await call<{ Attributes?: Record<string, string> }>('GetQueueAttributes', {
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages'],
    });

    expect(counts).toEqual({ ApproximateNumberOfMessages: '3' });
  });

  it('makes a message available at once', async () => {
    const call = openQueueCalls(url);
    await call('SendMessageBatch', { QueueUrl: url, Entries: entries('one') });
    const [taken] = await receive(sqs, url, 0);

    await call('ChangeMessageVisibilityBatch', {
      QueueUrl: url,
      Entries: [{ Id: '0', ReceiptHandle: taken!.ReceiptHandle, VisibilityTimeout: 0 }],
    });

    expect(await receive(sqs, url, 0)).toHaveLength(1);
  });

  it('to a missing queue is refused with the message of the service', async () => {
    const call = openQueueCalls(url);

    const refused = call('GetQueueAttributes', { QueueUrl: `${url}-not`, AttributeNames: ['All'] });

    await expect(refused).rejects.toMatchObject({ name: expect.stringMatching(/QueueDoesNotExist|NonExistentQueue/) });
  });
});
