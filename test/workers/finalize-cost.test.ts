import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { readSlot, SLOT_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { handler } from '../../lambdas/workers/finalize-cost/handler.ts';
import { toSqsEvent } from '../../lib/local/event-source.ts';
import { receive } from '../../lib/local/queues.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let queue: SettlementQueue;
let spender: Spender;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
  spender = await newSpender(table, { key: { daily: rub('100') } });
});
afterAll(() => queue.stop());
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Collects the values of a field in log lines. */
function written(field: string): unknown[] {
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  const values: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    const line = JSON.parse(String(text)) as Record<string, unknown>;
    if (field in line) values.push(line[field]);
    return true;
  });
  return values;
}

async function handleWhatIsThere(remainingMs = 20_000) {
  const event = toSqsEvent(await receive(queue.sqs, queue.url, 0), queue.url);
  const { batchItemFailures } = await handler(event, {
    getRemainingTimeInMillis: () => remainingMs,
    awsRequestId: 'lambda-1',
  });
  return { event, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

async function message() {
  const request = holdRequest(spender, rub('1'));
  const { hold } = await placeHold(table, request);
  return settlement(request, hold, rub('0.3'));
}

it('finalize-cost settles a batch, and returns only the failed messages for another delivery in seconds', async () => {
  const good = await message();
  await queue.send(good);
  await queue.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'no settlement' }));

  const { event, failed } = await handleWhatIsThere();

  const unreadable = event.Records.find(({ body }) => body === 'no settlement')!;
  expect(failed).toEqual([unreadable.messageId]);
  const record = await readGeneration(table, spender.payer.accountId, good.generationId);
  expect(record).toMatchObject({ state: 'final', outcome: { cost: rub('0.3') } });
  // The worker has made the message visible again, long before its visibility timeout of two minutes.
  const again = await receive(queue.sqs, queue.url, 10);
  expect(again.map(({ Body }) => Body)).toContain('no settlement');
});

it('finalize-cost returns all messages if it has no time left to start', async () => {
  await queue.send(await message());
  const { event, failed } = await handleWhatIsThere(1_000);
  expect(failed).not.toEqual([]);
  expect(failed).toEqual(event.Records.map(({ messageId }) => messageId));
});

it('finalize-cost counts a failed message at its first delivery, because an alarm for new code reads that', async () => {
  const failed = written('SettlementFailed');
  await queue.send(await message());
  await queue.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'no settlement either' }));

  const { event } = await handleWhatIsThere();
  expect(failed).toEqual([1]);

  const again = event.Records.filter(({ body }) => body === 'no settlement either').map((record) => ({
    ...record,
    attributes: { ...record.attributes, ApproximateReceiveCount: '2' },
  }));
  await handler({ Records: again }, { getRemainingTimeInMillis: () => 20_000 });
  expect(failed).toEqual([1]);
});

it('finalize-cost does not count messages that it returns for lack of time', async () => {
  const failed = written('SettlementFailed');
  await queue.send(await message());
  const { failed: handedBack } = await handleWhatIsThere(1_000);
  expect(handedBack).not.toEqual([]);
  expect(failed).toEqual([]);
});

it("finalize-cost logs the request id that finds Lambda's own lines of the call", async () => {
  const ids = written('awsRequestId');
  await queue.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'nothing' }));
  await handleWhatIsThere();
  expect(ids).toEqual(['lambda-1']);
});

/** Returns the number of requests in the last two slots, over all endpoints. */
async function counted(): Promise<number> {
  const slotMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS;
  const slots = await Promise.all([slotMs - SLOT_MS, slotMs].map((startMs) => readSlot(table, startMs)));
  return slots.flat().reduce((sum, [, { requests }]) => sum + requests, 0);
}

it('finalize-cost counts the statistics of a settlement once, however often its message is delivered', async () => {
  const one = await message();
  const before = await counted();
  await queue.send(one);
  await handleWhatIsThere();
  await queue.send(one);
  await handleWhatIsThere();
  expect(await counted()).toBe(before + 1);
});
