/**
 * Each night, lifetime windows are compared with the sum of the spending that was proved earlier and the daily rows
 * since then.
 */
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginChain, continueChain, datesSince, readLifetimeChain } from '../../lambdas/books/lifetime-chain.ts';
import { reconcileDays } from '../../lambdas/books/reconcile-days.ts';
import { ScopeSums } from '../../lambdas/books/scope-sums.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import type { Account } from '../../lambdas/store/accounts/accounts.ts';
import { counterKey, readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { readProvedAccount, writeProvedAccount } from '../../lambdas/store/counters/proved-spending.ts';
import { moneyAttribute, type Table } from '../../lambdas/store/table/table.ts';
import { documentsOf } from '../support/documents.ts';
import { makeHistory, type History } from '../support/history.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';
import { newTable } from '../support/table.ts';

const rub = (text: string) => Money.parse(text);
const yesterday = utcDate(Date.now() - DAY_MS);
const dayBeforeYesterday = utcDate(Date.now() - 2 * DAY_MS);
const atMs = Date.parse(`${utcDate(Date.now())}T01:00:00Z`);

let lines: LogLine[];
beforeEach(() => {
  lines = keepLog();
});
afterEach(() => vi.restoreAllMocks());

/** Makes a history of two days, with an account that was created yesterday or on another day. */
async function history(createdAt = `${yesterday}T00:00:00.000Z`): Promise<History & { key: ScopeId }> {
  const made = await makeHistory(await newTable(), { generations: 12, days: 2 });
  const set = { UpdateExpression: 'SET created_at = :at', ExpressionAttributeValues: { ':at': createdAt } };
  const Key = { pk: `ACCOUNT#${made.account.id}`, sk: 'ACCOUNT' };
  await documentsOf(made.table).send(new UpdateCommand({ TableName: made.table.name, Key, ...set }));
  return { ...made, key: { kind: 'key', id: made.keys['server']! } };
}

/** Makes a history of an account from January 2024. Its days without requests are rolled up as well. */
async function longHistory(): Promise<History & { key: ScopeId }> {
  const made = await history('2024-01-01T00:00:00.000Z');
  for (const date of datesSince(undefined, dayBeforeYesterday)) {
    const versions = Object.fromEntries(Array.from({ length: 8 }, (_, shard) => [`version_${shard}`, 0]));
    const Item = { pk: `ACTIVITY#${made.account.id}`, sk: `DAY#${date}`, entity: 'activity_day', date, ...versions };
    await documentsOf(made.table).send(new PutCommand({ TableName: made.table.name, Item }));
  }
  return made;
}

/** Raises the lifetime spending of a counter above the sum of its days. */
async function spendMoreInAll(table: Table, scope: ScopeId, more: Money): Promise<void> {
  const spent = (await readCounter(table, scope)).spent('lifetime');
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: counterKey(scope),
      UpdateExpression: 'SET spent_lifetime = :spent, committed_lifetime = :spent',
      ExpressionAttributeValues: { ':spent': moneyAttribute(spent.plus(more)) },
    }),
  );
}

describe('the lifetime spending of a scope', () => {
  it('is compared with all rows of a young account', async () => {
    const { table, key } = await history();
    await spendMoreInAll(table, key, rub('0.000000000001'));

    await reconcileDays(table, { atMs, pauseMs: 1 });

    expect(lines).toMatchObject([{ message: 'books differ', count: 1 }]);
    expect(lines[0]!['reason']).toMatch(new RegExp(`^key ${key.id} lifetime spent is `));
  });

  it('is the proved amount plus the rows since, for an older account', async () => {
    const { table, account, key } = await longHistory();
    const proved = { ...key, kind: 'key' as const, through: dayBeforeYesterday, spent: rub('5') };
    await writeProvedAccount(table, account.id, { through: dayBeforeYesterday, scopes: [proved] });
    await spendMoreInAll(table, key, rub('5'));

    await reconcileDays(table, { atMs, pauseMs: 1 });

    expect(lines).toEqual([]);
  });

  it('is reported if it differs from the proved amount', async () => {
    const { table, account, key } = await longHistory();
    const proved = { ...key, kind: 'key' as const, through: dayBeforeYesterday, spent: rub('5') };
    await writeProvedAccount(table, account.id, { through: dayBeforeYesterday, scopes: [proved] });

    await reconcileDays(table, { atMs, pauseMs: 1 });

    expect(lines).toMatchObject([{ message: 'books differ', count: 1 }]);
    expect(lines[0]!['reason']).toMatch(new RegExp(`^key ${key.id} lifetime spent is `));
  });

  it('is not compared if an older account has no chain yet', async () => {
    const { table, key } = await longHistory();
    await spendMoreInAll(table, key, rub('5'));

    expect(await reconcileDays(table, { atMs, pauseMs: 1 })).toBe(1);
    expect(lines).toEqual([]);
  });
});

describe('the chain of proved spending', () => {
  const account = { id: 'chained', createdAt: '2026-09-05T12:00:00.000Z' } as Account;
  const key = { kind: 'key', id: 'one' } as const;
  const spent = (days: Record<string, string>) => {
    const sums = new ScopeSums();
    for (const [date, amount] of Object.entries(days)) sums.addTo(key, date, { spent: rub(amount), held: Money.zero });
    return sums.scopes();
  };
  const proved = async (table: Table) => {
    const known = await readProvedAccount(table, account.id);
    return known && [known.through, ...known.scopes.map((scope) => String(scope.spent))];
  };
  const continued = async (table: Table, date: string, days: Record<string, string>) => {
    const chain = (await readLifetimeChain(table, account, date))!;
    await continueChain(table, account, { chain, scopes: spent(days), date });
    return proved(table);
  };

  it('includes a month three weeks after its end', async () => {
    const table = await newTable();
    const days = { '2026-09-05': '1', '2026-09-30': '2', '2026-10-01': '4', '2026-10-31': '8' };

    expect(await continued(table, '2026-10-20', days)).toBeUndefined();
    expect(await continued(table, '2026-10-21', days)).toEqual(['2026-09-30', '3']);
    expect(await continued(table, '2026-11-20', days)).toEqual(['2026-09-30', '3']);
    expect(await continued(table, '2026-11-21', days)).toEqual(['2026-10-31', '15']);
    expect(await continued(table, '2026-11-21', days)).toEqual(['2026-10-31', '15']);
  });

  it('counts no day twice after a partial write', async () => {
    const table = await newTable();
    const days = { '2026-09-30': '2', '2026-10-31': '8' };
    await continued(table, '2026-10-21', days);
    const chain = (await readLifetimeChain(table, account, '2026-11-21'))!;
    const before = (await readProvedAccount(table, account.id))!;
    await continueChain(table, account, { chain, scopes: spent(days), date: '2026-11-21' });
    // Simulates a run that was stopped before its last write.
    await writeProvedAccount(table, account.id, { through: before.through, scopes: [] });

    expect(await continued(table, '2026-11-22', days)).toEqual(['2026-10-31', '10']);
  });

  it('is read from the day after its last one, and at least from the beginning of the month', async () => {
    const table = await newTable();
    const first = await readLifetimeChain(table, account, '2026-10-02');
    await beginChain(table, account, { scopes: [], date: '2026-11-21' });
    const second = await readLifetimeChain(table, account, '2026-11-21');

    expect(datesSince(first, '2026-10-02').slice(0, 1)).toEqual(['2026-09-05']);
    expect(datesSince(second, '2026-11-21').slice(0, 1)).toEqual(['2026-11-01']);
    expect(datesSince(undefined, '2026-11-21').slice(0, 1)).toEqual(['2026-11-01']);
  });

  it('is computed anew from all records', async () => {
    const table = await newTable();
    await writeProvedAccount(table, account.id, {
      through: '2026-09-30',
      scopes: [{ ...key, through: '2026-09-30', spent: rub('99') }],
    });

    await beginChain(table, account, { scopes: spent({ '2026-09-05': '1', '2026-11-01': '2' }), date: '2026-11-24' });

    expect(await proved(table)).toEqual(['2026-10-31', '1']);
  });
});
