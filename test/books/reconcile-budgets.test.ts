import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { reconcileBudgets, reconcileRolledUpBudgets } from '../../lambdas/books/reconcile-budgets.ts';
import { reconcileDays } from '../../lambdas/books/reconcile-days.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { Money } from '../../lambdas/money/money.ts';
import { GENERATION_SHARDS, shardOf } from '../../lambdas/store/generations/generation-key.ts';
import { recordedSpending, saveRecordedSpending } from '../../lambdas/store/counters/recorded-budgets.ts';
import { readBudget } from '../../lambdas/store/counters/service-budgets.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { documentsOf } from '../support/documents.ts';
import { freeRequest } from '../support/free-use.ts';
import { outcome, placeHold, rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';

const atMs = Date.now() - DAY_MS;
const date = utcDate(atMs);
const model = 'test/model:free';
const at = (time: string) => Date.parse(`${utcDate(Date.now())}T${time}Z`);

async function freeUser(table: Table, name: string) {
  const { id } = await createAccount(table, { kind: 'operator', id: 'test' }, { name, mode: 'postpaid' });
  const payer = { accountId: id, workspaceId: 'w', memberId: undefined, keyHash: name };
  return {
    id,
    async ask() {
      const request = freeRequest({ payer, scopes: [] }, { id: model }, { atMs });
      const { hold } = await placeHold(table, request);
      const generationId = request.generation.id;
      const settle = async (serviceCost: string, swept = false) => {
        const told = { ...outcome(rub('0')), model, serviceCost: rub(serviceCost) };
        const [result] = await settleBatch(table, [{ generationId, payer, hold, outcome: told }], { swept });
        if (result instanceof Error) throw result;
        return result;
      };
      const rollUp = () =>
        rollUpShard(table, { accountId: id, date, shard: shardOf(generationId), sinceMs: Date.now() });
      return { settle, rollUp };
    },
  };
}

/**
 * Makes a history of two accounts that have used a free model: one answer of each account is settled, and one is still
 * running.
 */
async function history() {
  const table = await newTable();
  for (const name of ['A', 'B']) {
    const user = await freeUser(table, name);
    await (await user.ask()).settle('0.25');
    await user.ask();
    for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
      await rollUpShard(table, { accountId: user.id, date, shard, sinceMs: Date.now() });
    }
  }
  return table;
}

/** Adds a rouble to a part of a budget. */
async function falsify(table: Table): Promise<number> {
  const used = (await readBudget(table, date, model)).find(({ spent }) => !spent.isZero)!;
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk: `FREE#BUDGET#${date}#${used.part}`, sk: model },
      UpdateExpression: 'ADD spent_rub :more',
      ExpressionAttributeValues: { ':more': 1 },
    }),
  );
  return used.part;
}

it('reconcile finds no difference if budgets agree with the records of all accounts', async () => {
  expect(await reconcileBudgets(await history(), date)).toEqual([]);
});

it('reconcile names a part of a budget that differs from the records', async () => {
  const table = await history();
  const part = await falsify(table);

  const [difference, ...others] = await reconcileBudgets(table, date);
  expect([others, difference!.part, String(difference!.spent.minus(difference!.recorded))]).toEqual([[], part, '1']);
});

describe('the nightly comparison of budgets of free models', () => {
  let lines: LogLine[];
  beforeEach(() => {
    lines = keepLog();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const told = () => lines.filter(({ message }) => message === 'books differ');

  it('uses the sums that the roll-up has computed from the records of all accounts', async () => {
    const table = await history();

    await reconcileDays(table, { atMs: at('01:00:00') });

    expect(told()).toEqual([]);
    const recorded = await Array.fromAsync(recordedSpending(table, date));
    expect(String(Money.sum(recorded.map(({ spent }) => spent)))).toBe('0.5');
  });

  it('reports a difference once, an hour later, because late settlements may resolve it', async () => {
    const table = await history();
    const part = await falsify(table);

    await reconcileDays(table, { atMs: at('01:00:00') });
    await reconcileDays(table, { atMs: at('01:59:00') });
    expect(told()).toEqual([]);
    for (const time of ['02:00:00', '02:01:00']) await reconcileDays(table, { atMs: at(time) });

    expect(told()).toMatchObject([{ level: 'error', message: 'books differ', date, count: 1 }]);
    expect(told()[0]!['reason']).toMatch(`budget of ${model} part ${part} is 1.`);
  });

  it('finds no difference after a late settlement is rolled up', async () => {
    const table = await history();
    const late = await (await freeUser(table, 'C')).ask();
    await late.settle('0.125');
    const before = await reconcileRolledUpBudgets(table, date);

    await late.rollUp();

    expect(before).toHaveLength(1);
    expect(await reconcileRolledUpBudgets(table, date)).toEqual([]);
  });

  it('finds no difference after a correction removes all estimated spending', async () => {
    const table = await newTable();
    const lost = await (await freeUser(table, 'C')).ask();
    await lost.settle('0.125', true);
    await lost.rollUp();

    expect(await lost.settle('0')).toBe('corrected');
    await lost.rollUp();

    expect(await reconcileRolledUpBudgets(table, date)).toEqual([]);
  });

  it('reports a missing budget for which records have spending', async () => {
    const table = await history();
    for (const { part } of await readBudget(table, date, model)) {
      const Key = { pk: `FREE#BUDGET#${date}#${part}`, sk: model };
      await documentsOf(table).send(new DeleteCommand({ TableName: table.name, Key }));
    }

    const differences = await reconcileRolledUpBudgets(table, date);

    expect(String(Money.sum(differences.map(({ recorded }) => recorded)))).toBe('0.5');
  });

  it('ignores the result of an older computation', async () => {
    const table = await newTable();
    const shard = { accountId: 'a', date, shard: 3 };

    await saveRecordedSpending(table, shard, { version: 2, spending: [{ model, part: 1, spent: rub('2') }] });
    await saveRecordedSpending(table, shard, { version: 1, spending: [{ model, part: 1, spent: rub('1') }] });

    const [kept] = await Array.fromAsync(recordedSpending(table, date));
    expect(String(kept!.spent)).toBe('2');
  });
});
