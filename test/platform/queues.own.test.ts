import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deadLettersVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { openQueueGauge } from '../../lambdas/platform/queues/queue-levels.ts';
import { openQueueReturns, retryDelaySeconds } from '../../lambdas/platform/queues/queue-returns.ts';
import { toSqsEvent } from '../../lib/local/event-source.ts';
import { receive, startSqs, type LocalSqs } from '../../lib/local/queues.ts';
import { newQueue } from '../support/new-queue.ts';

let sqs: LocalSqs;
let url: string;
let deadLettersUrl: string;
beforeAll(async () => {
  sqs = await startSqs();
  process.env[variables.sqsEndpoint] = sqs.endpoint;
});
beforeEach(async () => {
  ({ url, deadLettersUrl } = await newQueue(sqs));
  Object.assign(process.env, {
    [queueVariable('finalize-cost')]: url,
    [deadLettersVariable('finalize-cost')]: deadLettersUrl,
  });
});
afterAll(() => sqs.stop());

const send = (to: string) => sqs.client.send(new SendMessageCommand({ QueueUrl: to, MessageBody: 'x' }));

const read = () => openQueueGauge(queueVariable('finalize-cost'), deadLettersVariable('finalize-cost')).read();

describe('the gauge of a queue', () => {
  it('detects an empty queue', async () => {
    expect(await read()).toEqual({ waiting: 0, inFlight: 0, dead: 0 });
  });

  it('counts waiting messages, messages in process, and dead letters', async () => {
    for (let count = 0; count < 12; count += 1) await send(url);
    await send(deadLettersUrl);
    const taken = await receive(sqs, url, 0);
    expect(await read()).toEqual({ waiting: 12 - taken.length, inFlight: taken.length, dead: 1 });
  });

  it('throws if a queue is unreachable', async () => {
    process.env[deadLettersVariable('finalize-cost')] = `${deadLettersUrl}-elsewhere`;
    await expect(read()).rejects.toThrow();
  });
});

describe('a failed message', () => {
  it('is delivered again in seconds, with growing delays up to two minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 30].map(retryDelaySeconds)).toEqual([5, 10, 20, 40, 80, 120, 120]);
  });

  it('does not wait for the end of its visibility timeout', async () => {
    await send(url);
    const { Records } = toSqsEvent(await receive(sqs, url, 0), url);

    await openQueueReturns(queueVariable('finalize-cost')).retrySoon(Records);

    const [again] = await receive(sqs, url, 10);
    expect(again?.Attributes?.ApproximateReceiveCount).toBe('2');
  });

  it('that cannot be returned causes no error, because its visibility timeout ends by itself', async () => {
    await send(url);
    const { Records } = toSqsEvent(await receive(sqs, url, 0), url);
    const strangers = Records.map((record) => ({ ...record, receiptHandle: 'of nobody' }));
    await expect(openQueueReturns(queueVariable('finalize-cost')).retrySoon(strangers)).resolves.toBeUndefined();
  });
});
