import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pruneOnceADay } from '../../lambdas/accounting/prune.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import {
  configureUpdate,
  counterKey,
  readCounter,
  spreadOf,
  type ScopeId,
  type ScopeKind,
} from '../../lambdas/store/counters/counters.ts';
import { gatherCounter, limitWrites } from '../../lambdas/store/counters/counter-parts.ts';
import type { Limits } from '../../lambdas/store/counters/limits.ts';
import { moneyAttribute, type Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { count, hasParts, conflictAt, newTableWithParts, rootOf, spent } from '../support/counter-parts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import {
  books,
  finalCosts,
  holdRequest,
  newSpender,
  placeHold,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable(newTableWithParts);

afterEach(() => vi.restoreAllMocks());

const scopeOf = (spender: Spender, kind: ScopeKind): ScopeId => spender.scopes.find((scope) => scope.kind === kind)!;

async function message(spender: Spender, cost: string): Promise<Settlement> {
  const request = holdRequest(spender, rub('1'));
  const { hold } = await placeHold(table, request);
  return settlement(request, hold, rub(cost));
}

async function settle(through: Table, spender: Spender, cost: string): Promise<void> {
  const [result] = await settleBatch(through, [await message(spender, cost)], { swept: false });
  expect(result).toBe('settled');
}

/** Creates a spender whose account's counter is stored in parts that this process knows. */
async function busySpender(): Promise<{ spender: Spender; account: ScopeId }> {
  const spender = await newSpender(table, {});
  const account = scopeOf(spender, 'account');
  conflictAt(proxy, account);
  await settle(faulty, spender, '0.5');
  expect(await hasParts(table, account)).toBe(true);
  return { spender, account };
}

const limited = (limits: Limits, revision: number) => ({ limits, revision });
const daily = { daily: rub('100') };

async function setLimits(scope: ScopeId, limits: Limits, revision: number): Promise<void> {
  expect(await transact(table, await limitWrites(table, scope, limited(limits, revision)))).toEqual({
    committed: true,
  });
}

describe('a counter with conflicting settlements', () => {
  it('gets parts, and other counters get none', async () => {
    const { spender } = await busySpender();

    const parts = await Promise.all(spender.scopes.map((scope) => hasParts(table, scope)));
    expect(spender.scopes.map(({ kind }, index) => [kind, parts[index]])).toEqual([
      ['key', false],
      ['workspace', false],
      ['account', true],
      ['member', false],
    ]);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.5'));
  });

  it('gets no parts without conflicts, or after only two conflicts', async () => {
    const spender = await newSpender(table, {});
    for (const cost of ['0.1', '0.2']) await settle(faulty, spender, cost);
    conflictAt(proxy, scopeOf(spender, 'account'), 2);
    await settle(faulty, spender, '0.3');

    expect(await hasParts(table, scopeOf(spender, 'account'))).toBe(false);
    expect(await spent(table, scopeOf(spender, 'account'))).toBe('0.6');
  });

  it('gets no parts if the scope has a limit', async () => {
    const spender = await newSpender(table, { account: daily });
    conflictAt(proxy, scopeOf(spender, 'account'));
    await settle(faulty, spender, '0.1');

    expect(await hasParts(table, scopeOf(spender, 'account'))).toBe(false);
  });

  it('gets no parts if the request began before the limit, and nothing was held in the scope', async () => {
    const spender = await newSpender(table, {});
    const before = await message(spender, '0.1');
    const account = scopeOf(spender, 'account');
    await setLimits(account, daily, 1);
    conflictAt(proxy, account);

    expect(await settleBatch(faulty, [before], { swept: false })).toEqual(['settled']);

    expect([await hasParts(table, account), await spent(table, account)]).toEqual([false, '0.1']);
  });

  it('adds later settlements to its parts', async () => {
    const { spender, account } = await busySpender();
    const before = (await rootOf(table, account))['spent_lifetime'];
    for (const cost of ['0.25', '0.125']) await settle(table, spender, cost);

    expect((await rootOf(table, account))['spent_lifetime']).toBe(before);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.875'));
    expect((await finalCosts(table, spender)).toString()).toBe('0.875');
  });

  it('is settled even if its parts cannot be created', async () => {
    const spender = await newSpender(table, {});
    conflictAt(proxy, scopeOf(spender, 'account'));
    const { faultFor } = proxy;
    proxy.faultFor = (call, number) => (call.action === 'GetItem' ? 'unavailable' : faultFor(call, number));

    await settle(faulty, spender, '0.1');

    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.1'));
  });
});

describe('a process with a stale cache of closed parts', () => {
  it('adds a settlement to the counter once, and drops the parts from its cache', async () => {
    const { spender, account } = await busySpender();
    await setLimits(account, daily, 1);

    await settle(table, spender, '0.25');
    proxy.calls.length = 0;
    await settle(faulty, spender, '0.125');

    expect(proxy.calls.filter(({ action }) => action === 'TransactWriteItems')).toHaveLength(1);
    expect((await rootOf(table, account))['spent_lifetime']).toBe('0.875');
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.875'));
  });

  it('adds each settlement of a batch once, with duplicates and other settlements in the batch', async () => {
    const [{ spender, account }, other] = [await busySpender(), await newSpender(table, {})];
    const batch = [await message(spender, '0.25'), await message(other, '0.1'), await message(spender, '0.125')];
    await settleBatch(table, [batch[0]!], { swept: false });
    await setLimits(account, daily, 1);

    const results = await settleBatch(table, batch, { swept: false });

    expect(results).toEqual(['duplicate', 'settled', 'settled']);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.875'));
    expect((await books(table, other)).account).toEqual(settledEverywhere('0.1'));
  });

  it('reads the new parts at its next conflict', async () => {
    const { spender, account } = await busySpender();
    await gatherCounter(table, account);
    await settle(table, spender, '0.25');
    later(4_000);
    conflictAt(proxy, account);
    await settle(faulty, spender, '0.125');

    expect([await hasParts(table, account), await spent(table, account)]).toEqual([true, '0.875']);
  });

  it('merges the parts if the process that closed them has died', async () => {
    const { spender, account } = await busySpender();
    // Simulates a process that is killed after it has closed the parts.
    await limitWrites(table, account, limited(daily, 1));
    await settle(table, spender, '0.25');
    later(4_000);
    conflictAt(proxy, account);
    await settle(faulty, spender, '0.125');

    expect(await hasParts(table, account)).toBe(false);
    expect((await rootOf(table, account))['spent_lifetime']).toBe('0.875');
  });
});

function later(ms: number): void {
  const now = performance.now.bind(performance);
  const from = now();
  vi.spyOn(performance, 'now').mockImplementation(() => from + ms + (now() - from));
}

describe('a hold placed while its scope was limited', () => {
  it('is released at the counter, also after the limit was removed and the counter has parts', async () => {
    const spender = await newSpender(table, { account: daily });
    const account = scopeOf(spender, 'account');
    const [first, second] = [await message(spender, '0.3'), await message(spender, '0.4')];
    await setLimits(account, {}, 1);
    const unlimited = { ...spender, scopes: spender.scopes.map((scope) => ({ ...scope, limits: {} })) };
    conflictAt(proxy, account);
    await settle(faulty, unlimited, '0.5');
    expect(await hasParts(table, account)).toBe(true);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.5', '2.5'));

    expect(await settleBatch(table, [first], { swept: false })).toEqual(['settled']);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('0.8', '1.8'));
    // The batch also contains a settlement of a request that held nothing.
    const batch = [second, await message(unlimited, '0.1')];
    expect(await settleBatch(table, batch, { swept: false })).toEqual(['settled', 'settled']);
    expect((await books(table, spender)).account).toEqual(settledEverywhere('1.3'));

    await setLimits(account, daily, 2);
    expect((await rootOf(table, account))['committed_lifetime']).toBe('1.3');
  });
});

describe('a counter with parts of an earlier day', () => {
  it('merges them when its windows are cleaned up on a later day, and keeps them on the same day', async () => {
    const { spender, account } = await busySpender();
    const spread = spreadOf(await rootOf(table, account));
    const request = await message(spender, '0.25');
    await pruneOnceADay(table, [request]);
    expect(spreadOf(await rootOf(table, account))).toBe(spread);

    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY_MS);
    await pruneOnceADay(table, [request]);
    vi.restoreAllMocks();

    expect([await hasParts(table, account), await spent(table, account)]).toEqual([false, '0.5']);
  });
});

describe('a counter with parts that an earlier release has limited', () => {
  it('merges its parts when its windows are cleaned up', async () => {
    const { spender, account } = await busySpender();
    const change = { set: { limits: { daily: moneyAttribute(rub('100')) }, revision: 1 } };
    await transact(table, { counter: update(table, counterKey(account), change) });

    await pruneOnceADay(table, [await message(spender, '0.25')]);

    expect((await rootOf(table, account))['spent_lifetime']).toBe('0.5');
    expect(await hasParts(table, account)).toBe(false);
  });
});

describe('a first limit set while settlements run', () => {
  it('counts all of them, and their total equals the records', async () => {
    const { spender, account } = await busySpender();
    const batches: Settlement[][] = [];
    for (let batch = 0; batch < 24; batch += 1) {
      batches.push(await Promise.all(Array.from({ length: 5 }, () => message(spender, '0.01'))));
    }
    const workers = Array.from({ length: 4 }, async (_, worker) => {
      for (const batch of batches.slice(worker * 6, worker * 6 + 6)) {
        expect(await settleBatch(table, batch, { swept: false })).toEqual(batch.map(() => 'settled'));
      }
    });
    const settled = Promise.all(workers);
    await setLimits(account, daily, 1);
    const atLimit = await rootOf(table, account);
    await settled;

    expect(spreadOf(atLimit)).toBeUndefined();
    expect((await finalCosts(table, spender)).toString()).toBe('1.7');
    expect((await books(table, spender)).account).toEqual(settledEverywhere('1.7'));
    expect((await rootOf(table, account))['spent_lifetime']).toBe('1.7');
  });

  it('counts spending in parts, so that no hold exceeds it', async () => {
    const { spender, account } = await busySpender();
    await settle(table, spender, '98.5');
    await setLimits(account, daily, 1);
    const scopes = spender.scopes.map((scope) =>
      scope.kind === 'account' ? { ...scope, ...limited(daily, 1) } : scope,
    );
    const now = { ...spender, scopes };

    await expect(placeHold(table, holdRequest(now, rub('1.01')))).rejects.toMatchObject({ status: 402 });
    await expect(placeHold(table, holdRequest(now, rub('1')))).resolves.toBeDefined();
    expect((await readCounter(table, account)).committed('lifetime').toString()).toBe('100');
  });
});

it('a counter part that was never created accepts no spending', async () => {
  const scope = { kind: 'account', id: randomUUID() } as const;
  await transact(table, { counter: configureUpdate(table, scope, { limits: {}, revision: 0 }) });
  expect(await count(table, scope, { amount: '1', spread: randomUUID() })).toMatchObject({ committed: false });
  expect(await spent(table, scope)).toBe('0');
});
