import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import { decodeRollUp } from '../../lambdas/accounting/roll-up.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { accountEntryPut } from '../../lambdas/store/accounts/accounts.ts';
import { GENERATION_SHARDS } from '../../lambdas/store/generations/generation-key.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { handler } from '../../lambdas/workers/close-days/handler.ts';
import { deleteMessages, receive } from '../../lib/local/queues.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let queue: SettlementQueue;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
});
afterAll(() => queue.stop());

const yesterday = dayBefore(utcDate(Date.now()));
const run = (remainingMs: number) => handler({}, { getRemainingTimeInMillis: () => remainingMs });

async function sentMessages() {
  const bodies: string[] = [];
  for (;;) {
    const messages = await receive(queue.sqs, queue.rollUpUrl, 0);
    if (messages.length === 0) return bodies.map(decodeRollUp);
    bodies.push(...messages.map(({ Body }) => Body!));
    await deleteMessages(queue.sqs, queue.rollUpUrl, messages);
  }
}

it('close-days sends one message for each shard of an ended day, as soon as a run has time for it', async () => {
  await writeAlone(table, accountEntryPut(table, { id: 'acme', createdAt: `${yesterday}T10:00:00.000Z` }));

  // A page of accounts may take longer than the remaining time, so the first run sends nothing.
  expect(await run(20_000)).toEqual({ sent: 0 });
  expect(await run(60_000)).toEqual({ sent: GENERATION_SHARDS });
  expect(await run(60_000)).toEqual({ sent: 0 });

  const sent = await sentMessages();
  expect(sent.map(({ shard }) => shard).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: GENERATION_SHARDS }, (_, shard) => shard),
  );
  expect(new Set(sent.map(({ accountId, date }) => `${accountId} ${date}`))).toEqual(new Set([`acme ${yesterday}`]));
});
