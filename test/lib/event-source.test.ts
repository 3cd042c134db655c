import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventSource, type EventSource } from '../../lib/local/event-source.ts';
import { isWakeUp, receive, startSqs, wakePoll, type LocalSqs } from '../../lib/local/queues.ts';
import { newQueue } from '../support/new-queue.ts';

let sqs: LocalSqs;
let url: string;
beforeAll(async () => {
  sqs = await startSqs();
});
beforeEach(async () => {
  ({ url } = await newQueue(sqs));
});
afterAll(() => sqs.stop());

const send = (body: string) => sqs.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));

/** Starts an event source whose worker records the bodies that it gets. */
function sourceInto(handled: string[]): EventSource {
  return startEventSource(sqs, url, { batchSize: 10, maxConcurrency: 2 }, async (event) => {
    handled.push(...(event as SQSEvent).Records.map(({ body }) => body));
  });
}

describe('a poll that waits', () => {
  it('ends only when it is woken', async () => {
    const poll = receive(sqs, url, 20);

    await wakePoll(sqs, url);

    const messages = await poll;
    expect(messages.map(isWakeUp)).toEqual([true]);
  });
});

describe('a source that is stopped', () => {
  it('has delivered its whole queue, but not the wake-up message', async () => {
    const handled: string[] = [];
    const source = sourceInto(handled);
    const bodies = Array.from({ length: 35 }, (_, index) => `message ${index}`);

    await Promise.all(bodies.map(send));
    source.stopPolling();
    await source.stop();

    expect(handled.toSorted()).toEqual(bodies.toSorted());
    expect(await receive(sqs, url, 0)).toEqual([]);
  });

  it('leaves its queue empty if there was no work', async () => {
    const handled: string[] = [];
    const source = sourceInto(handled);

    await source.stop();

    expect(handled).toEqual([]);
    await expect.poll(() => receive(sqs, url, 0)).toEqual([]);
  });
});
