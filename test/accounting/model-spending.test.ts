import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readSpendingByModel } from '../../lambdas/accounting/model-spending.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { transactionsOf } from '../../lambdas/accounting/settle-group.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { modelMonthUpdate, readModelDays } from '../../lambdas/store/days/model-months.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

async function answered(spender: Spender, model: string, cost: string, atMs?: number): Promise<Settlement> {
  const request = holdRequest(spender, rub('2'), atMs === undefined ? {} : { atMs });
  const { hold } = await placeHold(table, request);
  const made = settlement(request, hold, rub(cost));
  return { ...made, outcome: { ...made.outcome, model } };
}

const settle = (settlements: Settlement[]) => settleBatch(table, settlements, { swept: false });

/** Returns the sums of the day, the week and the month, by model. */
async function told(spender: Spender, atMs = Date.now()): Promise<Record<string, string[]>> {
  const { models } = await readSpendingByModel(table, spender.payer.accountId, atMs);
  return Object.fromEntries(
    models.map(({ model, daily, weekly, monthly }) => [model, [daily, weekly, monthly].map(String)]),
  );
}

describe('the daily, weekly and monthly spending on a model', () => {
  it('is the cost of its settled requests, without holds', async () => {
    const spender = await newSpender(table, { account: { lifetime: rub('1000') } });
    await settle([
      await answered(spender, 'test/a', '0.000000000001'),
      await answered(spender, 'test/b', '0.25'),
      await answered(spender, 'test/a', '0.5'),
    ]);
    await answered(spender, 'test/b', '1');

    const a = '0.500000000001';
    expect(await told(spender)).toEqual({ 'test/a': [a, a, a], 'test/b': ['0.25', '0.25', '0.25'] });
  });

  it('counts a redelivered message once', async () => {
    const spender = await newSpender(table, {});
    const one = await answered(spender, 'test/a', '0.5');
    await settle([one, one]);
    await settle([one]);

    expect(await told(spender)).toEqual({ 'test/a': ['0.5', '0.5', '0.5'] });
  });

  it('counts a request on its day of admission, also in a week with days of two months', async () => {
    const spender = await newSpender(table, {});
    // The week of this Tuesday begins with the last day of the previous month.
    const nowMs = Date.parse('2026-12-01T12:00:00Z');
    vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
    try {
      await settle([
        await answered(spender, 'test/a', '0.1', Date.parse('2026-11-29T23:59:59.999Z')),
        await answered(spender, 'test/a', '0.2', Date.parse('2026-11-30T00:00:00Z')),
        await answered(spender, 'test/a', '0.4', Date.parse('2026-12-01T00:00:00Z')),
      ]);
    } finally {
      vi.useRealTimers();
    }

    expect(await told(spender, nowMs)).toEqual({ 'test/a': ['0.4', '0.6', '0.4'] });
    const { countedFrom } = await readSpendingByModel(table, spender.payer.accountId, nowMs);
    expect(countedFrom).toBe('2026-11-30');
  });

  it('moves from the estimated model to the model that answered', async () => {
    const spender = await newSpender(table, {});
    const real = await answered(spender, 'test/other', '0.75');
    await sweepHolds(table, { nowMs: Date.now() + 3_600_000, backlog: 'none' });
    expect(await told(spender)).toEqual({ 'test/model': ['0.1', '0.1', '0.1'] });

    expect(await settle([real])).toEqual(['corrected']);

    expect(await told(spender)).toEqual({ 'test/other': ['0.75', '0.75', '0.75'] });
  });

  it('is not written for a month whose spending is no longer stored', async () => {
    const spender = await newSpender(table, {});
    const longAgoMs = Date.now() - 100 * DAY_MS;

    expect(await settle([await answered(spender, 'test/a', '0.5', longAgoMs)])).toEqual(['settled']);

    expect(await readModelDays(table, spender.payer.accountId, utcDate(longAgoMs).slice(0, 7))).toEqual([]);
  });

  it('adds the parts of all partition keys, and the parts of earlier releases under the key of the month', async () => {
    const { accountId } = (await newSpender(table, {})).payer;
    const of = { accountId, month: '2026-11', model: 'test/a' };
    const spent = new Map([['2026-11-20', rub('0.25')]]);
    const parts = [0, 1, 15, 16, 63].map((part) => modelMonthUpdate(table, of, part, spent));
    const older = { Update: { ...parts[1]!.Update!, Key: { pk: `MODELS#${accountId}#2026-11`, sk: 'test/a#1' } } };
    for (const write of [...parts, older]) await writeAlone(table, write);

    expect(new Set(parts.map(({ Update: { Key: key } = {} }) => key!['pk'])).size).toBe(4);
    expect(await readModelDays(table, accountId, '2026-11')).toEqual([
      { model: 'test/a', date: '2026-11-20', spent: rub('1.5') },
    ]);
  });

  it("stays within DynamoDB's limits for one transaction if each answer has another model", async () => {
    const spender = await newSpender(table, {});
    const batch = await Promise.all(
      Array.from({ length: 60 }, (_, index) => answered(spender, `test/model-${index}`, '0.01')),
    );

    expect(await settle(batch)).toEqual(batch.map(() => 'settled'));

    // A transaction has at most 100 items: two for each settlement (its record and its model's month), and four
    // counters.
    expect(transactionsOf(batch).map((group) => group.length)).toEqual([48, 12]);
    const { models } = await readSpendingByModel(table, spender.payer.accountId, Date.now());
    expect(Money.sum(models.map(({ daily }) => daily)).toString()).toBe('0.6');
  });
});
