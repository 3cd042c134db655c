/** Books of an account from which a process has leased money that it has not returned. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { placeHold, type HoldRequest } from '../../lambdas/admission/hold.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { readAccount, type Account } from '../../lambdas/store/accounts/accounts.ts';
import { counterKey, readCounter } from '../../lambdas/store/counters/counters.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { openLeases, type Lease } from '../../lambdas/store/counters/leases.ts';
import { scopesOf } from '../../lambdas/store/accounts/payer.ts';
import { moneyAttribute, type Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { exportTable } from '../../lib/admin/books/export-table.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { eagerLeases } from '../support/leasing.ts';
import { holdRequest, rub, settlement } from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

const actor = { kind: 'operator', id: 'test' } as const;
/** A token costs the smallest possible amount, so that every amount is a valid price. */
const pricing = { prompt: Money.fromPico(1n), completion: Money.zero };

let directory: string;
let table: Table;
let account: Account;
let lease: Lease;
let holdOne: (amount: string) => Promise<HoldRequest>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-books-'));
  table = await newTable();
  account = await createAccount(table, actor, { name: 'Leased', mode: 'postpaid' });
  // Timers are simulated, so that the process does not return the lease.
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'Date'] });
  const requests = await holdFromALease();
  await settle(requests[2]!);
  for await (const one of openLeases(table)) lease = one;
});
afterAll(async () => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

/** Places three holds: the first without a lease, and two from the lease that the process then takes. */
async function holdFromALease(): Promise<HoldRequest[]> {
  const context = { table, accountId: account.id, actor };
  const { key } = await createKey(context, 'pepper', {
    kind: 'inference',
    workspaceId: account.defaultWorkspaceId,
    memberId: undefined,
    name: 'busy',
    limit: rub('100'),
  });
  const payer = {
    accountId: account.id,
    workspaceId: account.defaultWorkspaceId,
    memberId: undefined,
    keyHash: key.hash,
  };
  const scopes = await Promise.all(
    scopesOf(payer).map(async (scope) => ({ ...scope, ...(await readCounter(table, scope)) })),
  );
  const leases = eagerLeases();
  holdOne = async (amount) => {
    const plain = holdRequest({ payer, scopes }, rub(amount));
    const request = { ...plain, generation: { ...plain.generation, pricing } };
    expect(await placeHold(table, request, { leases })).toHaveProperty('placed');
    await leases.taken();
    return request;
  };
  const requests: HoldRequest[] = [];
  for (const amount of ['0.1', '0.1', '0.05']) requests.push(await holdOne(amount));
  return requests;
}

async function settle(request: HoldRequest): Promise<void> {
  const { hold, lease: of } = (await readGeneration(table, account.id, request.generation.id))!;
  expect(of).toBeDefined();
  const cost = rub('0.03');
  const plain = settlement(request, hold, cost);
  const outcome = { ...plain.outcome, pricing, promptTokens: Number(cost.pico), completionTokens: 0 };
  expect(await settleBatch(table, [{ ...plain, outcome }], { swept: false })).toEqual(['settled']);
}

async function findings(through = table): Promise<unknown[]> {
  const fresh = (await readAccount(table, account.id))!;
  const dates = [...new Set([utcDate(Date.parse(fresh.createdAt)), utcDate(Date.now())])];
  const question = { account: fresh, dates, isDeep: true, isWhole: true, pauseMs: 1 };
  return (await reconcile(through, question)).findings;
}

async function queried(name: string, sql: string): Promise<unknown[]> {
  await exportTable(table, join(directory, name), () => {});
  const books = await openBooks(join(directory, name));
  const rows = await books.query(sql);
  books.close();
  return rows;
}

it('books with an open lease add up: its remainder is held without a record', async () => {
  expect(await findings()).toEqual([]);
  expect(await queried('whole', 'SELECT * FROM drift')).toEqual([]);
  expect(await queried('left', 'SELECT id, CAST(left_rub AS VARCHAR) AS rub FROM leases_left')).toEqual([
    { id: lease.id, rub: `${lease.amount.minus(rub('0.15'))}0`.padEnd('0.000000000000'.length, '0') },
  ]);
});

it('books with an open lease add up while records that name it are written, without changes of counters', async () => {
  const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  const leased: unknown[] = [];
  // Leases are read before and after the records of the day. A hold is placed before each of these reads.
  proxy.before = async ({ action, body }) => {
    if (action !== 'Query' || !body.includes('LEASES#0')) return;
    const { id } = (await holdOne('0.01')).generation;
    leased.push((await readGeneration(table, account.id, id))?.lease?.id);
  };

  const found = await findings(tableThrough(proxy.endpoint, table));

  await proxy.stop();
  expect(leased).toEqual([lease.id, lease.id]);
  expect(found).toEqual([]);
});

it('books with an open lease have no difference that varies between reads', async () => {
  const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  const counter = counterKey({ kind: 'key', id: lease.payer.keyHash });
  const add = (amount: Money) =>
    writeAlone(table, update(table, counter, { add: { committed_lifetime: moneyAttribute(amount) } }));
  let added = 0;
  proxy.before = async ({ action, body }) => {
    if (action !== 'BatchGetItem' || !body.includes(counter.pk)) return;
    added += 1;
    await add(Money.fromPico(1n));
  };

  const found = await findings(tableThrough(proxy.endpoint, table));

  await proxy.stop();
  await add(Money.fromPico(BigInt(-added)));
  expect(added).toBe(4);
  expect(found).toEqual([]);
});

it('books with an altered lease name a window whose counter differs', async () => {
  const key = { pk: `LEASE#${lease.id}`, sk: 'LEASE' };
  const set = { amount_rub: moneyAttribute(lease.amount.plus(Money.fromPico(1n))) };
  await writeAlone(table, update(table, key, { set }));

  expect(await findings()).toContainEqual(
    expect.objectContaining({ kind: 'counter', where: expect.stringMatching(/^key .* lifetime held$/) as string }),
  );
  expect(await queried('flipped', `SELECT scope_kind FROM drift WHERE "window" = 'lifetime'`)).toEqual([
    { scope_kind: 'key' },
  ]);
});
