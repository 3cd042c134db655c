import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { variables } from '../../lambdas/platform/environment.ts';
import { newSecretBits } from '../../lambdas/platform/ids.ts';
import { localCredentials, quietLogger } from '../../lambdas/platform/aws/sdk.ts';
import { adoptChild, needChild } from '../shared/children.ts';
import { StartFailure } from '../shared/failure.ts';
import { programs } from './programs.ts';
import type { WiredQueue } from './wiring.ts';

/**
 * SQS emulator, with its queues in memory: if the gateway is killed, messages are lost, and the worker `sweep-holds`
 * settles the holds later.
 */
export interface LocalSqs {
  endpoint: string;
  client: SQSClient;
  stop: () => Promise<void>;
}

/**
 * Starts the SQS emulator; `lost` resolves with a sentence if it has ended by itself.
 * @throws {StartFailure} if the emulator does not start
 */
export async function startSqs(): Promise<LocalSqs & { lost: Promise<string> }> {
  // Functions and the emulator read this secret from the environment.
  process.env[variables.localSecret] ??= newSecretBits();
  // The emulator has its own process group, so that Ctrl-C does not end it before the gateway has processed its
  // messages.
  const child = adoptChild(
    spawn(process.execPath, [programs.aws], { stdio: ['pipe', 'pipe', 'inherit'], detached: true }),
  );
  const { lost, stop } = needChild(child, {
    name: 'The process of queues and files',
    end: () => child.stdin.end(),
  });
  const port = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => line as string),
    lost.then(() => Promise.reject(new StartFailure('The local SQS did not start. See its output above.'))),
  ]);
  const sqs = connectSqs(`http://127.0.0.1:${port}`);
  return {
    ...sqs,
    lost,
    async stop() {
      await sqs.stop();
      await stop();
    },
  };
}

/** Connects to an emulator that another process has started. */
export function connectSqs(endpoint: string): LocalSqs {
  const client = new SQSClient({
    endpoint,
    logger: quietLogger,
    region: 'us-east-1',
    credentials: localCredentials,
  });
  return {
    endpoint,
    client,
    stop: async () => client.destroy(),
  };
}

/** Creates a queue with its dead-letter queue. */
export async function createQueue(
  sqs: LocalSqs,
  name: string,
  spec: WiredQueue,
): Promise<{ url: string; deadLettersUrl: string }> {
  const dead = await sqs.client.send(new CreateQueueCommand({ QueueName: spec.deadLetters }));
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
  return { url: queue.QueueUrl!, deadLettersUrl: dead.QueueUrl! };
}

/** Receives up to ten messages; waits at most `waitSeconds` for the first. */
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

const WAKE = 'wake';

/**
 * Sends a message that makes the current poll of a queue return. Aborting the poll could lose messages that it has
 * already received.
 */
export async function wakePoll(sqs: LocalSqs, queueUrl: string): Promise<void> {
  await sqs.client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: WAKE }));
}

/**
 * Ends the waiting polls of a killed process. Otherwise the emulator would give them the next messages, which would
 * then be hidden until their visibility timeout.
 */
export async function endPolls(sqs: LocalSqs, queueUrls: string[]): Promise<void> {
  await Promise.allSettled(queueUrls.map((queueUrl) => wakePoll(sqs, queueUrl)));
}

export function isWakeUp({ Body: body }: Message): boolean {
  return body === WAKE;
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
