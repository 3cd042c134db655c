import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { openQueue, type QueueSender } from '../../lambdas/platform/queues/queue.ts';
import { listen, type Listening } from '../support/listen.ts';
import { setEnvironment } from '../support/process-environment.ts';

interface Entry {
  Id: string;
  MessageBody: string;
}

/** Calls wait for `gate`, and fail if the test sets a failure. */
const sqs = {
  batches: [] as string[][],
  gate: Promise.resolve() as Promise<unknown>,
  refuses: (_body: string) => false,
  isAway: false,
};
let server: Listening;
let queue: QueueSender;
let putBack: () => void;
beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      void (async () => {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        const { Entries } = JSON.parse(text) as { Entries: Entry[] };
        sqs.batches.push(Entries.map(({ MessageBody }) => MessageBody));
        await sqs.gate;
        response.writeHead(sqs.isAway ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
        const Failed = Entries.filter(({ MessageBody }) => sqs.refuses(MessageBody));
        response.end(
          JSON.stringify(
            sqs.isAway
              ? { __type: 'QueueDoesNotExist' }
              : { Successful: [], Failed: Failed.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })) },
          ),
        );
      })();
    }),
  );
  putBack = setEnvironment({
    [variables.sqsEndpoint]: server.url,
    [queueVariable('roll-up-activity')]: `${server.url}/queue`,
  });
  queue = openQueue(queueVariable('roll-up-activity'));
});
afterAll(() => {
  putBack();
  return server.stop();
});
beforeEach(() => {
  Object.assign(sqs, { batches: [], gate: Promise.resolve(), refuses: () => false, isAway: false });
});

const bodies = (count: number) => Array.from({ length: count }, (_, index) => `message ${index}`);

describe('a queue message', () => {
  it('is sent at once if it is alone', async () => {
    await queue.send('alone');
    await queue.send('another');

    expect(sqs.batches).toEqual([['alone'], ['another']]);
  });

  it('shares the next call with others that arrive during a call, up to ten', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    sqs.gate = promise;
    const sent = Promise.all(bodies(15).map((body) => queue.send(body)));

    resolve();
    await sent;

    const all = bodies(15);
    expect(sqs.batches).toEqual([all.slice(0, 1), all.slice(1, 11), all.slice(11)]);
  });

  it('contains no character that SQS refuses, and the same JSON', async () => {
    const json = JSON.stringify({ 'na\uFFFFme': 'te\uFFFExt' });

    await queue.send(json, { added: json });

    const [[body]] = sqs.batches as [[string]];
    expect(body).not.toMatch(/[\uFFFE\uFFFF]/);
    expect(JSON.parse(body)).toEqual(JSON.parse(json));
  });

  it('that SQS refuses fails alone', async () => {
    sqs.refuses = (body) => body === 'message 2';

    const results = await Promise.allSettled(bodies(4).map((body) => queue.send(body)));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect((results[2] as PromiseRejectedResult).reason).toMatchObject({
      message: 'SQS refused the message (InternalError)',
    });
  });

  it('fails with its whole call, and the next call is possible', async () => {
    sqs.isAway = true;
    const results = await Promise.allSettled(bodies(3).map((body) => queue.send(body)));
    sqs.isAway = false;

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(queue.send('later')).resolves.toBeUndefined();
  });
});
