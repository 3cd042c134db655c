import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { reconcileDays } from '../../lambdas/books/reconcile-days.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { counterKey, readCounter } from '../../lambdas/store/counters/counters.ts';
import { generationKey, shardOf } from '../../lambdas/store/generations/generation-key.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { saveDaysDone } from '../../lambdas/store/days/day-progress.ts';
import { moneyAttribute } from '../../lambdas/store/table/table.ts';
import { functions } from '../../lambdas/routes.ts';
import { documentsOf } from '../support/documents.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { itemActions } from '../support/item-actions.ts';
import { makeHistory, type History } from '../support/history.ts';
import { newTable, tableThrough } from '../support/table.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';

const today = utcDate(Date.now());
const yesterday = utcDate(Date.now() - DAY_MS);
const at = (time: string) => Date.parse(`${today}T${time}Z`);

let lines: LogLine[];
beforeEach(() => {
  lines = keepLog();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function history(): Promise<History> {
  const made = await makeHistory(await newTable(), { generations: 12, days: 2 });
  const { table, account } = made;
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk: `ACCOUNT#${account.id}`, sk: 'ACCOUNT' },
      UpdateExpression: 'SET created_at = :at',
      ExpressionAttributeValues: { ':at': `${yesterday}T00:00:00.000Z` },
    }),
  );
  return made;
}

describe('the books of a day', () => {
  it('are compared once, an hour after the end of the day', async () => {
    const { table } = await history();

    expect(await reconcileDays(table, { atMs: at('00:59:59') })).toBe(0);
    expect(await reconcileDays(table, { atMs: at('01:00:00') })).toBe(1);
    expect(await reconcileDays(table, { atMs: at('01:01:00') })).toBe(0);
    expect(lines).toEqual([]);
  });

  it('give a difference of zero in the metrics if they agree, which shows that they were compared', async () => {
    const { table } = await history();
    vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');

    await reconcileDays(table, { atMs: at('01:00:00') });

    expect(lines).toMatchObject([{ DriftRub: 0 }]);
  });

  it('are compared with only the rights of the worker', async () => {
    const { table } = await history();
    const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
    await reconcileDays(tableThrough(proxy.endpoint, table), { atMs: at('01:00:00') });
    await proxy.stop();

    const rights = new Set(proxy.calls.flatMap((call) => itemActions(call).map(({ action }) => action)));
    expect([...rights].toSorted()).toEqual([...functions['reconcile-days']!.grants.table!].toSorted());
  });

  it('are reported if they differ, with both amounts', async () => {
    const { table, keys } = await history();
    const scope = { kind: 'key', id: keys['server']! } as const;
    const spent = (await readCounter(table, scope)).spent(`day_${yesterday}`);
    await documentsOf(table).send(
      new UpdateCommand({
        TableName: table.name,
        Key: counterKey(scope),
        UpdateExpression: 'SET #window = :amount',
        ExpressionAttributeNames: { '#window': `spent_day_${yesterday}` },
        ExpressionAttributeValues: { ':amount': moneyAttribute(spent.plus(Money.parse('0.000000000001'))) },
      }),
    );

    await reconcileDays(table, { atMs: at('02:00:00'), pauseMs: 1 });

    expect(lines).toMatchObject([{ level: 'error', message: 'books differ', date: yesterday, count: 1 }]);
    expect(lines[0]!['reason']).toBe(
      `key ${scope.id} day_${yesterday} spent is ${spent.plus(Money.parse('0.000000000001'))}, and should be ${spent}`,
    );
  });

  it('wait until the day is rolled up, and are reported as late after some time', async () => {
    const { table, account } = await history();
    await saveDaysDone(table, 'RECONCILED', utcDate(Date.now() - 2 * DAY_MS));
    await documentsOf(table).send(
      new UpdateCommand({
        TableName: table.name,
        Key: { pk: `ACTIVITY#${account.id}`, sk: `DAY#${yesterday}` },
        UpdateExpression: 'REMOVE version_3',
      }),
    );

    expect(await reconcileDays(table, { atMs: at('03:00:00') })).toBe(0);
    expect(lines).toEqual([]);
    // From this time on, the delay is reported with the account that causes it, and other accounts do not wait for it.
    expect(await reconcileDays(table, { atMs: at('15:00:01') })).toBe(0);
    expect(lines).toMatchObject([
      { level: 'error', message: 'books are late', date: yesterday },
      { level: 'error', message: 'books are late', date: yesterday, accountId: account.id },
    ]);
    expect(await reconcileDays(table, { atMs: at('15:01:01') })).toBe(0);
    expect(lines).toHaveLength(2);
  });

  it('are left to the next run if there is no time', async () => {
    const { table } = await history();
    expect(await reconcileDays(table, { atMs: at('04:00:00'), deadlineMs: performance.now() })).toBe(0);
    expect(await reconcileDays(table, { atMs: at('04:01:00') })).toBe(1);
  });
});

describe('a record that does not prove its price', () => {
  it('is reported with its id when its day is rolled up', async () => {
    const { table, account, dates } = await history();
    const generations = await Array.fromAsync(generationsOfDay(table, account.id, dates[0]!));
    // The charge of a free or capped generation would not change with another token.
    const generation = generations.find(({ outcome }) => !outcome!.cost.isZero && !outcome!.capped);
    await documentsOf(table).send(
      new UpdateCommand({
        TableName: table.name,
        Key: generationKey(account.id, generation!.id),
        UpdateExpression: 'SET tokens_completion = :tokens',
        ExpressionAttributeValues: { ':tokens': generation!.outcome!.completionTokens + 1 },
      }),
    );

    const shard = shardOf(generation!.id);
    await rollUpShard(table, { accountId: account.id, date: dates[0]!, shard, sinceMs: Date.now() + DAY_MS });

    expect(lines).toMatchObject([
      { level: 'error', message: 'record does not prove its price', generationId: generation!.id, count: 1 },
    ]);
  });
});
