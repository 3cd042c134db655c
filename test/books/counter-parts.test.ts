/** Comparisons of the books for a history whose counters are stored in parts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { periodOf } from '../../lambdas/books/period.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { lifetimeDrift } from '../../lambdas/books/seals/lifetime.ts';
import { isProven, readStatement } from '../../lambdas/books/statement.ts';
import { readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { gatherCounter, limitWrites, spreadCounter } from '../../lambdas/store/counters/counter-parts.ts';
import { counterKey, partKey, windowsIn, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { moneyAttribute, moneyFrom } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { exportTable } from '../../lib/admin/books/export-table.ts';
import { giveLimitedParts, rootOf } from '../support/counter-parts.ts';
import { makeRuledHistory, type RuledHistory } from '../support/history.ts';
import { rub } from '../support/spending.ts';

let directory: string;
let history: RuledHistory;
let scopes: ScopeId[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-books-'));
  history = await makeRuledHistory({ generations: 20, mode: 'postpaid', withParts: true });
  const { account, keys } = history;
  scopes = [
    { kind: 'account', id: account.id },
    { kind: 'workspace', id: account.defaultWorkspaceId },
    { kind: 'key', id: keys['server']! },
    { kind: 'member', id: `${account.defaultWorkspaceId}/ann` },
  ];
  for (const scope of scopes) await moveIntoParts(scope);
});
afterAll(async () => {
  await history.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Moves a counter into parts: one part gets nearly the whole amount, another 0.000001 RUB. */
async function moveIntoParts(scope: ScopeId): Promise<void> {
  const { table } = history;
  const spread = (await spreadCounter(table, scope))!;
  const root = await rootOf(table, scope);
  const names = windowsIn(root).flatMap((window) => [`spent_${window}`, `committed_${window}`]);
  const some = rub('0.000001');
  const each = (amountOf: (name: string) => ReturnType<typeof rub>) =>
    Object.fromEntries(names.map((name) => [name, moneyAttribute(amountOf(name))]));
  const outcome = await transact(table, {
    counter: update(table, counterKey(scope), {
      add: each((name) => moneyFrom(root[name]).minus(some).negated()),
    }),
    most: update(table, partKey(scope, spread, 5), {
      add: each((name) => moneyFrom(root[name]).minus(some).minus(some)),
    }),
    some: update(table, partKey(scope, spread, 63), { add: each(() => some) }),
  });
  expect(outcome).toEqual({ committed: true });
}

async function findings(): Promise<unknown[]> {
  const { table, dates } = history;
  const account = (await readAccount(table, history.account.id))!;
  const question = { account, dates, isDeep: true, isWhole: true, pauseMs: 1 };
  const [deep, quick] = [await reconcile(table, question), await reconcile(table, { ...question, isDeep: false })];
  const period = periodOf({ from: dates[0]!, to: dates.at(-1)! });
  const statement = await readStatement(table, { account, period, by: ['day'], filter: {} });
  const drift = await lifetimeDrift(table, account.id, {
    through: dates.at(-1)!,
    usage: history.total,
  } as Parameters<typeof lifetimeDrift>[2]);
  return [
    ...deep.findings,
    ...quick.findings,
    ...(isProven(statement) ? [] : [statement.proofs]),
    ...(drift ? [drift] : []),
  ];
}

async function counted(name: string): Promise<{ drift: unknown[]; lifetimes: unknown[] }> {
  await exportTable(history.table, join(directory, name), () => {});
  const books = await openBooks(join(directory, name));
  const drift = await books.query('SELECT * FROM drift');
  const lifetimes = await books.query(`SELECT scope_kind, CAST(spent_rub AS VARCHAR) AS spent FROM counters
    WHERE "window" = 'lifetime' AND scope_id = '${history.account.id}'`);
  books.close();
  return { drift, lifetimes };
}

it('books with parts of counters add up, at each step of a merge', async () => {
  const { table, account } = history;
  expect(await findings()).toEqual([]);
  const before = await counted('parts');
  expect(before.drift).toEqual([]);
  expect(before.lifetimes).toHaveLength(1);

  for (const scope of scopes) await limitWrites(table, scope, { limits: { daily: rub('1') }, revision: 1 });
  expect(await findings()).toEqual([]);
  expect(await counted('closed')).toEqual(before);

  for (const scope of scopes) await gatherCounter(table, scope);
  expect(await findings()).toEqual([]);
  expect(await counted('gathered')).toEqual(before);

  for (const scope of scopes) await spreadCounter(table, scope);
  expect(await findings()).toEqual([]);
  expect(await counted('again')).toEqual(before);
  expect(account.mode).toBe('postpaid');
});

it('books with a counter that has granted room to its parts add up', async () => {
  const { table, account } = history;
  const scope = { kind: 'account', id: account.id } as const;
  const limits = { daily: rub('1000') };
  await transact(table, await limitWrites(table, scope, { limits, revision: 2, active: true }));

  await giveLimitedParts(table, { ...scope, limits, revision: 2 });

  expect(await findings()).toEqual([]);
  expect((await counted('granted')).drift).toEqual([]);
});

it('an altered digit in a part of a counter is reported', async () => {
  const { table, keys } = history;
  const scope = { kind: 'key', id: keys['server']! } as const;
  const spread = (await spreadCounter(table, scope))!;
  await transact(table, {
    part: update(table, partKey(scope, spread, 9), { add: { spent_lifetime: moneyAttribute(rub('0.000000000001')) } }),
  });
  expect(await findings()).not.toEqual([]);
  expect((await counted('altered')).drift).not.toEqual([]);
});
