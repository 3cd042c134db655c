import { randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import { encodeRollUp } from '../../lambdas/accounting/roll-up.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { readDay } from '../../lambdas/store/days/activity.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { handler } from '../../lambdas/workers/roll-up-activity/handler.ts';
import { toSqsEvent } from '../../lib/local/event-source.ts';
import { receive } from '../../lib/local/queues.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { newTable } from '../support/table.ts';

const today = utcDate(Date.now());
const yesterday = dayBefore(today);

let table: Table;
let queue: SettlementQueue;
let sqsProxy: FaultProxy;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
  sqsProxy = await startFaultProxy(queue.sqs.endpoint);
  process.env[variables.sqsEndpoint] = sqsProxy.endpoint;
});
afterAll(async () => {
  await sqsProxy.stop();
  await queue.stop();
});

let accountId: string;
beforeEach(() => {
  accountId = randomUUID();
  sqsProxy.calls.length = 0;
});

const asking = (shard: number, more: { date?: string; sinceMs?: number } = {}) =>
  encodeRollUp({ accountId, date: yesterday, shard, sinceMs: Date.now(), ...more });

/** Passes messages to the worker as Lambda does, and returns the bodies of the failed messages. */
async function handle(...bodies: string[]): Promise<string[]> {
  for (const MessageBody of bodies) {
    await queue.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.rollUpUrl, MessageBody }));
  }
  const { Records } = toSqsEvent(await receive(queue.sqs, queue.rollUpUrl, 0), queue.rollUpUrl);
  expect(Records).toHaveLength(bodies.length);
  const { batchItemFailures } = await handler({ Records });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return Records.filter(({ messageId }) => failed.has(messageId)).map(({ body }) => body);
}

/** Returns the rolled-up shards, each with the number of its latest roll-up. */
const rolledUp = async () => {
  const { versions = [] } = (await readDay(table, accountId, yesterday)) ?? {};
  return [...versions.entries()].filter(([, version]) => version !== undefined);
};
const readAtMs = async (shard: number) => (await readDay(table, accountId, yesterday))!.readAtMs[shard]!;
const refunded = () => sqsProxy.calls.filter(({ action }) => action === 'ChangeMessageVisibilityBatch');

describe('a batch of shards', () => {
  it('is rolled up, each shard once, even if several messages name it', async () => {
    expect(await handle(asking(0), asking(3), asking(0, { sinceMs: 1 }), asking(0))).toEqual([]);

    expect(refunded()).toHaveLength(0);
    // The next roll-up of the day is its third.
    await handle(asking(5));
    expect(await rolledUp()).toEqual([
      [0, 1],
      [3, 2],
      [5, 3],
    ]);
  });

  it('is rolled up for the newest of its messages, in any order', async () => {
    await handle(asking(0));
    const before = await readAtMs(0);

    await handle(asking(0, { sinceMs: Date.now() + 60_000 }), asking(0, { sinceMs: 1 }));

    expect(await readAtMs(0)).toBeGreaterThan(before);
  });

  it('returns only unreadable messages, which are delivered again in seconds', async () => {
    expect(await handle('no roll-up', asking(1))).toEqual(['no roll-up']);

    expect(await rolledUp()).toEqual([[1, 1]]);
    expect(refunded()).toHaveLength(1);
  });

  it('returns every message about a shard that cannot be rolled up, and no other', async () => {
    const early = [asking(2, { date: today, sinceMs: 1 }), asking(2, { date: today, sinceMs: 2 })];

    expect((await handle(...early, asking(1))).toSorted()).toEqual(early.toSorted());

    expect(await rolledUp()).toEqual([[1, 1]]);
    expect(refunded()).toHaveLength(1);
  });
});
