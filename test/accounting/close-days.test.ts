import { beforeEach, describe, expect, it } from 'vitest';
import { dayBefore, daysBefore } from '../../lambdas/accounting/activity-days.ts';
import { closeDays, closeDaysAgain, reopenDays } from '../../lambdas/accounting/close-days.ts';
import { decodeRollUp, type RollUp } from '../../lambdas/accounting/roll-up.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { QueueSender } from '../../lambdas/platform/queues/queue.ts';
import { accountEntryPut } from '../../lambdas/store/accounts/accounts.ts';
import { readDayProgress, saveDaysDone } from '../../lambdas/store/days/day-progress.ts';
import { GENERATION_SHARDS, shardOf } from '../../lambdas/store/generations/generation-key.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { holdRequest, newSpender, settlement } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const yesterday = dayBefore(utcDate(Date.now()));
const dayBeforeYesterday = dayBefore(yesterday);

let table: Table;
let sent: RollUp[];
let failing: boolean;
const queue: QueueSender = {
  send(body) {
    if (failing) return Promise.reject(new Error('SQS is away'));
    sent.push(decodeRollUp(body));
    return Promise.resolve();
  },
};
beforeEach(async () => {
  table = await newTable();
  sent = [];
  failing = false;
});

const addAccount = (id: string, createdOn: string) =>
  transact(table, { entry: accountEntryPut(table, { id, createdAt: `${createdOn}T10:00:00.000Z` }) });
const daysOf = (accountId: string) => [
  ...new Set(sent.filter((message) => message.accountId === accountId).map(({ date }) => date)),
];

describe('the closing of days', () => {
  it('queues every shard of each ended day of every account since its first day, at most 400 days', async () => {
    await addAccount('old', '2020-01-01');
    await addAccount('young', dayBeforeYesterday);
    await addAccount('new', utcDate(Date.now()));
    await closeDays(table, queue);
    // A gateway rolls up at most the last 400 days.
    expect(daysOf('old')).toHaveLength(400);
    expect(daysOf('young')).toEqual([dayBeforeYesterday, yesterday]);
    expect(daysOf('new')).toEqual([]);
    const shards = sent.filter(({ accountId, date }) => accountId === 'young' && date === yesterday);
    expect(shards.map(({ shard }) => shard)).toEqual(Array.from({ length: GENERATION_SHARDS }, (_, shard) => shard));
  });

  it('queues the last days before and after a pause of 1000 days', async () => {
    const lastClosed = daysBefore(yesterday, 1_000);
    await addAccount('old', '2020-01-01');
    await saveDaysDone(table, 'CLOSED', lastClosed);

    await closeDays(table, queue);

    const days = daysOf('old');
    expect(days).toHaveLength(400);
    expect(days.slice(0, 2)).toEqual([lastClosed, daysBefore(yesterday, 999)]);
    expect(days.at(-1)).toBe(yesterday);
  });

  it('queues the last days once more after queues were lost, and nothing that was never queued', async () => {
    await addAccount('old', '2020-01-01');
    await closeDaysAgain(table);
    expect(await readDayProgress(table, 'CLOSED')).toMatchObject({ through: undefined });
    await saveDaysDone(table, 'CLOSED', yesterday);

    await closeDaysAgain(table);
    await closeDays(table, queue);

    expect(daysOf('old')).toEqual(Array.from({ length: 8 }, (_, back) => daysBefore(yesterday, 7 - back)));
  });

  it('queues each day once, and the last closed day once more', async () => {
    await addAccount('old', '2020-01-01');
    await saveDaysDone(table, 'CLOSED', dayBeforeYesterday);
    await closeDays(table, queue);
    expect(daysOf('old')).toEqual([dayBeforeYesterday, yesterday]);
    sent = [];
    await closeDays(table, queue);
    expect(sent).toEqual([]);
  });

  it('starts again after it was interrupted', async () => {
    await addAccount('old', '2020-01-01');
    await saveDaysDone(table, 'CLOSED', dayBeforeYesterday);
    failing = true;
    await expect(closeDays(table, queue)).rejects.toThrow('SQS is away');
    expect((await readDayProgress(table, 'CLOSED')).through).toBe(dayBeforeYesterday);
    failing = false;
    await closeDays(table, queue);
    expect(daysOf('old')).toContain(yesterday);
  });

  it('continues after the accounts that an earlier run has queued', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `account-${String(index).padStart(3, '0')}`);
    for (let start = 0; start < ids.length; start += 25) {
      const entries = ids
        .slice(start, start + 25)
        .map((id) => [id, accountEntryPut(table, { id, createdAt: yesterday })]);
      await transact(table, Object.fromEntries(entries));
    }
    await saveDaysDone(table, 'CLOSED', dayBeforeYesterday);
    // The queue fails in the middle of the third page of accounts.
    const breaking: QueueSender = {
      send: (body) => (sent.length < 350 ? queue.send(body) : Promise.reject(new Error('away'))),
    };
    await expect(closeDays(table, breaking)).rejects.toThrow('away');
    sent = [];

    await closeDays(table, queue);

    expect(new Set(sent.map(({ accountId }) => accountId))).toEqual(new Set(ids.slice(40)));
    expect(await readDayProgress(table, 'CLOSED')).toEqual({ through: yesterday, current: undefined });
  });

  it('queues nothing when its time is over, and leaves the rest to the next run', async () => {
    await addAccount('old', '2020-01-01');
    expect(await closeDays(table, queue, { deadlineMs: performance.now() - 1 })).toBe(0);
    await closeDays(table, queue);
    expect(daysOf('old')).toContain(yesterday);
  });

  it('is not blocked by a clock that once was ahead', async () => {
    await addAccount('old', '2020-01-01');
    await saveDaysDone(table, 'CLOSED', '2099-12-31');
    await closeDays(table, queue);
    expect(daysOf('old')).toContain(yesterday);
    expect((await readDayProgress(table, 'CLOSED')).through).toBe(yesterday);
  });
});

describe('a settlement', () => {
  it('after the end of its day queues the shard again, once for many settlements', async () => {
    const spender = await newSpender(table, {});
    const late = holdRequest(spender, Money.zero, { atMs: Date.parse(yesterday) + 1_000 });
    const hold = { amount: Money.zero, steps: 1, scopes: [], serviceHolds: [], rateHolds: [] };
    const settled = settlement(late, hold, Money.zero);
    await reopenDays(() => queue, [settled, settled]);
    expect(sent).toMatchObject([
      { accountId: spender.payer.accountId, date: yesterday, shard: shardOf(late.generation.id) },
    ]);
  });

  it('of the current day queues nothing', async () => {
    const spender = await newSpender(table, {});
    const hold = { amount: Money.zero, steps: 1, scopes: [], serviceHolds: [], rateHolds: [] };
    await reopenDays(() => queue, [settlement(holdRequest(spender, Money.zero), hold, Money.zero)]);
    expect(sent).toEqual([]);
  });
});
