import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import { deleteMessages, isWakeUp, receive, wakePoll, type LocalSqs } from './queues.ts';

export type Invoke = (event: unknown) => Promise<unknown>;

export interface EventSource {
  /** Starts no further poll, and ends the waiting time of the current poll. */
  stopPolling: () => void;
  /** Processes the visible messages in the queue, then stops. */
  stop: () => Promise<void>;
}

/**
 * Maximum waiting time of one poll in seconds, as that of Lambda. A poll is never aborted, because it may already have
 * received messages. If the workers' process is killed, `endPolls` ends its polls.
 */
const LONG_POLL_SECONDS = 20;
/** Time within which arriving messages form a batch. */
const GATHERING_MS = 25;

/**
 * Emulates Lambda's event source for a queue: polls it, passes batches to the worker, and deletes processed messages.
 * Messages in `batchItemFailures` stay in the queue until their visibility timeout ends; all messages do if the worker
 * threw. At most `maxConcurrency` batches normally run at the same time.
 */
export function startEventSource(
  sqs: LocalSqs,
  queueUrl: string,
  options: { batchSize: number; maxConcurrency: number },
  invoke: Invoke,
): EventSource {
  const state = { stopping: false };
  const running = new Set<Promise<void>>();

  async function listen(): Promise<void> {
    while (!state.stopping) {
      if (running.size >= options.maxConcurrency) await Promise.race(running);
      startBatches(await gather());
    }
  }

  async function gather(): Promise<Message[]> {
    const first = await poll(LONG_POLL_SECONDS);
    if (first.length === 0 || first.length >= options.batchSize || state.stopping) return first;
    await sleep(GATHERING_MS);
    return [...first, ...(await poll(0))];
  }

  function poll(waitSeconds: number): Promise<Message[]> {
    return receive(sqs, queueUrl, waitSeconds).catch((error: unknown) => {
      log('error', 'queue not readable', describeError(error));
      return [];
    });
  }

  function startBatches(messages: Message[]): void {
    for (let start = 0; start < messages.length; start += options.batchSize) {
      const work: Promise<void> = handleBatch(messages.slice(start, start + options.batchSize)).finally(() =>
        running.delete(work),
      );
      running.add(work);
    }
  }

  /** Processes all remaining visible messages. The queues are in memory, so other messages are lost. */
  async function drain(): Promise<void> {
    for (;;) {
      const messages = await receive(sqs, queueUrl, 0).catch(() => []);
      if (messages.length === 0) break;
      startBatches(messages);
    }
    await Promise.all(running);
  }

  async function handleBatch(messages: Message[]): Promise<void> {
    const failedIds = await failuresOf(messages, queueUrl, invoke);
    const done = messages.filter((message) => !failedIds.has(message.MessageId!));
    await deleteMessages(sqs, queueUrl, done).catch(() => undefined);
  }

  const polling = listen();
  const stopPolling = () => {
    if (state.stopping) return;
    state.stopping = true;
    wakePoll(sqs, queueUrl).catch(() => undefined);
  };
  return {
    stopPolling,
    async stop() {
      stopPolling();
      await polling;
      await drain();
    },
  };
}

/** Returns the ids of the messages that the worker could not process: all ids if it threw. */
async function failuresOf(received: Message[], queueUrl: string, invoke: Invoke): Promise<Set<string>> {
  const messages = received.filter((message) => !isWakeUp(message));
  if (messages.length === 0) return new Set();
  try {
    const result = (await invoke(toSqsEvent(messages, queueUrl))) as SQSBatchResponse | undefined;
    return new Set((result?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  } catch (error) {
    log('error', 'queue worker failed', describeError(error));
    return new Set(messages.map((message) => message.MessageId!));
  }
}

export function toSqsEvent(messages: Message[], queueUrl: string): SQSEvent {
  const queueName = queueUrl.split('/').at(-1)!;
  return {
    Records: messages.map(
      (message) =>
        ({
          messageId: message.MessageId!,
          receiptHandle: message.ReceiptHandle!,
          body: message.Body ?? '',
          attributes: (message.Attributes ?? {}) as unknown as SQSRecord['attributes'],
          messageAttributes: sqsMessageAttributes(message),
          md5OfBody: message.MD5OfBody ?? '',
          eventSource: 'aws:sqs',
          eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queueName}`,
          awsRegion: 'us-east-1',
        }) satisfies SQSRecord,
    ),
  };
}

function sqsMessageAttributes({ MessageAttributes: attributes = {} }: Message): SQSRecord['messageAttributes'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType: dataType, StringValue: stringValue }]) => [
      name,
      { dataType: dataType ?? 'String', ...(stringValue === undefined ? {} : { stringValue }) },
    ]),
  );
}
