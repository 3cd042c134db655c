import type { BatchResultErrorEntry, SendMessageBatchCommandInput, SendMessageBatchResult } from '@aws-sdk/client-sqs';
import { AwsError, type AwsCall } from '../aws/aws-call.ts';
import { requireVariable } from '../environment.ts';
import { openQueueCalls } from './queue-calls.ts';

/** `send` resolves when SQS has stored the message, whose body is JSON. */
export interface QueueSender {
  send(body: string, options?: SendOptions): Promise<void>;
}

interface SendOptions {
  /** Seconds until the message is delivered, at most 900. */
  delaySeconds?: number;
  /** JSON in the message attribute `added`. */
  added?: string | undefined;
}

export const ADDED_ATTRIBUTE = 'added';

/** Maximum number of messages that SQS accepts in one call. */
const MAX_SENT_BATCH = 10;

/**
 * Opens a queue for sending.
 * @param urlVariable environment variable with the queue's URL
 */
export function openQueue(urlVariable: string): QueueSender {
  const url = requireVariable(urlVariable);
  return new BatchingSender(openQueueCalls(url), url);
}

interface WaitingMessage extends SendOptions {
  body: string;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Sends messages in batches without waiting for a batch to fill: messages that arrive during a call are sent in the
 * next call.
 */
class BatchingSender implements QueueSender {
  readonly #call: AwsCall;
  readonly #queueUrl: string;
  #waiting: WaitingMessage[] = [];
  #sending = false;

  constructor(call: AwsCall, queueUrl: string) {
    this.#call = call;
    this.#queueUrl = queueUrl;
  }

  send(body: string, options: SendOptions = {}): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => this.#waiting.push({ body, ...options, resolve, reject }));
    if (!this.#sending) void this.#drain();
    return sent;
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) await this.#sendBatch(this.#waiting.splice(0, MAX_SENT_BATCH));
    this.#sending = false;
  }

  async #sendBatch(batch: WaitingMessage[]): Promise<void> {
    try {
      const request: SendMessageBatchCommandInput = {
        QueueUrl: this.#queueUrl,
        Entries: batch.map(({ body, delaySeconds = 0, added }, index) => ({
          Id: String(index),
          MessageBody: acceptedJson(body),
          ...(delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {}),
          ...(added === undefined ? {} : { MessageAttributes: { [ADDED_ATTRIBUTE]: jsonAttribute(added) } }),
        })),
      };
      const { Failed: refused = [] } = await this.#call<SendMessageBatchResult>('SendMessageBatch', request);
      const failed = new Map(refused.map((entry) => [Number(entry.Id), entry]));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const refusal = failed.get(index);
        if (refusal) reject(sqsRejection(refusal));
        else resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  }
}

/** Returns the error for a message of a batch that SQS did not store. */
function sqsRejection({ Code: code, SenderFault: isOurFault = false }: BatchResultErrorEntry): AwsError {
  return new AwsError(isOurFault ? 400 : 503, { __type: code, message: `SQS refused the message (${code})` });
}

/**
 * Escapes two characters that JSON may contain, but SQS refuses.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
function acceptedJson(json: string): string {
  return json.replaceAll(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

function jsonAttribute(json: string) {
  return { DataType: 'String', StringValue: acceptedJson(json) };
}
