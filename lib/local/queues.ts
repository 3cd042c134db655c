import { buildApp } from 'fauxqs';
import {
  ChangeMessageVisibilityBatchCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { quietLogger } from '../../lambdas/platform/sdk.ts';
import type { QueueSpec } from '../../lambdas/routes.ts';

/** SQS on loopback, in this process. Queues live in memory: what a dead process left in them is found by the sweep. */
export interface LocalSqs {
  endpoint: string;
  client: SQSClient;
  stop: () => Promise<void>;
}

export async function startSqs(): Promise<LocalSqs> {
  const app = buildApp({ logger: false, host: '127.0.0.1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new SQSClient({
    endpoint,
    logger: quietLogger,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return {
    endpoint,
    client,
    async stop() {
      client.destroy();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Creates a queue with its dead-letter queue. @returns the URL of the queue. */
export async function createQueue(sqs: LocalSqs, name: string, spec: QueueSpec): Promise<string> {
  const dead = await sqs.client.send(new CreateQueueCommand({ QueueName: `${name}-dead-letters` }));
  const { Attributes } = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead.QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const queue = await sqs.client.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: {
        VisibilityTimeout: String(spec.visibilityTimeoutSeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: Attributes!['QueueArn'],
          maxReceiveCount: String(spec.maxReceiveCount),
        }),
      },
    }),
  );
  return queue.QueueUrl!;
}

/** Takes up to ten messages, waiting for the first as long as asked. */
export async function receive(sqs: LocalSqs, queueUrl: string, waitSeconds: number): Promise<Message[]> {
  const answer = await sqs.client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return answer.Messages ?? [];
}

export async function deleteMessages(sqs: LocalSqs, queueUrl: string, messages: Message[]): Promise<void> {
  if (messages.length === 0) return;
  await sqs.client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: messages.map((message, index) => ({ Id: String(index), ReceiptHandle: message.ReceiptHandle! })),
    }),
  );
}

/** Puts messages back after a delay, as Lambda's poller does with a batch that failed. */
export async function returnMessages(
  sqs: LocalSqs,
  queueUrl: string,
  messages: Message[],
  delaySeconds: number,
): Promise<void> {
  if (messages.length === 0) return;
  await sqs.client.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: queueUrl,
      Entries: messages.map((message, index) => ({
        Id: String(index),
        ReceiptHandle: message.ReceiptHandle!,
        VisibilityTimeout: delaySeconds,
      })),
    }),
  );
}
