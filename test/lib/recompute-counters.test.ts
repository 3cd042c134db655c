import { beforeEach, describe, expect, it } from 'vitest';
import { returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import type { Leases } from '../../lambdas/admission/leases.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { createAccount, requireAccount } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { utcDate, windowsAt } from '../../lambdas/money/periods.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { counterKey, readCounter, type Scope, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { scopesOf, type Payer } from '../../lambdas/store/accounts/payer.ts';
import { moneyAttribute } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { recomputeCounters } from '../../lib/admin/counters/recompute-counters.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { eagerLeases } from '../support/leasing.ts';
import { holdRequest, rub, settlement } from '../support/spending.ts';

const actor = { kind: 'operator', id: 'test' } as const;
const { table, faulty, proxy } = await faultyTable();

let context: ChangeContext;
let payer: Payer;
let scopes: Scope[];
beforeEach(setUp);

async function setUp(): Promise<void> {
  const account = await createAccount(table, actor, { name: 'Drifted', mode: 'postpaid' });
  context = { table, accountId: account.id, actor };
  const { key } = await createKey(context, 'pepper', {
    kind: 'inference',
    workspaceId: account.defaultWorkspaceId,
    memberId: undefined,
    name: 'limited',
    limit: rub('200'),
  });
  payer = { accountId: account.id, workspaceId: account.defaultWorkspaceId, memberId: undefined, keyHash: key.hash };
  scopes = await Promise.all(
    scopesOf(payer).map(async (scope) => ({ ...scope, ...(await readCounter(table, scope)) })),
  );
}

/** Sends three requests, and returns the server's lease before the third, as if the server had ended. */
async function returnTooEarly(): Promise<Leases> {
  const leases = eagerLeases();
  for (let time = 0; time < 2; time += 1) await request({ ends: false, leases });
  await leases.taken();
  await returnDueLeases(table, { nowMs: 0, deadBootIds: ['test-boot', 'boot'] });
  await request({ ends: false, leases });
  return leases;
}

/** Places a hold of 0.4 RUB, and settles it at 0.1 RUB if the request ends. */
async function request({ ends, leases }: { ends: boolean; leases?: Leases }): Promise<void> {
  const asked = holdRequest({ payer, scopes }, rub('0.4'));
  const result = await placeHold(table, asked, leases ? { leases } : {});
  if ('refused' in result) throw new Error(`Refused: ${result.refused.kind}`);
  if (ends) await settleBatch(table, [settlement(asked, result.placed.hold, rub('0.1'))], { swept: false });
}

async function drift(scope: ScopeId, amounts: Record<string, string>): Promise<void> {
  const add = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, moneyAttribute(rub(amount))]));
  await writeAlone(table, update(table, counterKey(scope), { add }));
}

async function drifts(): Promise<unknown[]> {
  const account = await requireAccount(table, context.accountId);
  const dates = [utcDate(Date.now() - 86_400_000), utcDate(Date.now())];
  return (await reconcile(table, { account, dates, isDeep: true, isWhole: true, pauseMs: 1 })).drifts;
}

const corrections = (from = context) => Array.fromAsync(recomputeCounters(from, { pauseMs: 1 }));

const keyScope = (): ScopeId => ({ kind: 'key', id: payer.keyHash });
const accountScope = (): ScopeId => ({ kind: 'account', id: payer.accountId });

async function amountsOf(scope: ScopeId, window: string): Promise<string> {
  const counter = await readCounter(table, scope);
  return `${String(counter.spent(window))} of ${String(counter.committed(window))}`;
}

describe('counters that differ from their records', () => {
  it('are corrected in each window, for spent and held amounts, with an audit entry', async () => {
    await request({ ends: true });
    await request({ ends: false });
    const { daily, monthly } = windowsAt(Date.now());
    await drift(keyScope(), { spent_lifetime: '7', committed_lifetime: '-3', [`committed_${daily}`]: '2' });
    await drift(accountScope(), { [`spent_${monthly}`]: '0.5' });

    const corrected = await corrections();

    expect(corrected.length).toBeGreaterThan(0);
    expect(await drifts()).toEqual([]);
    expect(await amountsOf(keyScope(), 'lifetime')).toBe('0.1 of 0.5');
    expect(await amountsOf(keyScope(), daily)).toBe('0.1 of 0.5');
    const entries = await readAudit(table, context.accountId, { limit: 10 });
    const targets = entries.filter(({ action }) => action === 'counters.recompute').map(({ target }) => target);
    expect(targets.toSorted()).toEqual([`account ${payer.accountId}`, `key ${payer.keyHash}`]);
  });

  it('are corrected during requests, without losing any', async () => {
    await request({ ends: true });
    await drift(keyScope(), { committed_lifetime: '-3', spent_lifetime: '1' });
    let during = 0;
    proxy.before = async ({ action }) => {
      if (action !== 'BatchGetItem' && action !== 'TransactWriteItems') return;
      during += 1;
      await request({ ends: during % 2 === 0 });
    };

    await corrections({ ...context, table: faulty });
    proxy.before = () => undefined;

    expect(during).toBeGreaterThan(4);
    expect(await drifts()).toEqual([]);
  });

  it('are corrected once by concurrent runs', async () => {
    await request({ ends: true });
    await drift(keyScope(), { committed_lifetime: '-3' });

    const runs = await Promise.allSettled([1, 2, 3].map(() => corrections()));

    expect(runs.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await amountsOf(keyScope(), 'lifetime')).toBe('0.1 of 0.1');
    expect(await corrections()).toEqual([]);
  });

  it('are not corrected while a returned lease waits for its own correction', async () => {
    const leases = await returnTooEarly();

    const isWrong = (await drifts()).length > 0;
    const [ended] = await Promise.allSettled([corrections()]);
    // The lease is corrected when it ends. On a slow machine, it may end before the command measures the counters.
    expect(ended).toMatchObject(ended.status === 'fulfilled' ? { value: [] } : { reason: { status: 409 } });
    await leases.returnAll();

    expect(isWrong).toBe(true);
    expect(await drifts()).toEqual([]);
  });

  it('are corrected once, whenever a returned lease is corrected during the command', async () => {
    let all = 0;
    // The loop corrects the lease before different queries of the command, counted from its last query.
    for (let beforeEnd = 0; beforeEnd <= 60; beforeEnd += 5) {
      await setUp();
      const leases = await returnTooEarly();
      let queries = 0;
      proxy.before = async ({ action }) => {
        if (action !== 'Query') return;
        queries += 1;
        if (queries === all - beforeEnd) await leases.returnAll();
      };

      await corrections({ ...context, table: faulty }).catch((error: unknown) => {
        expect(error).toMatchObject({ status: 409 });
      });
      proxy.before = () => undefined;
      await leases.returnAll();

      expect(await drifts(), `${beforeEnd} queries before the end`).toEqual([]);
      all ||= queries;
    }
    expect(all).toBeGreaterThan(60);
  });
});

it('correct counters stay unchanged', async () => {
  await request({ ends: true });

  expect(await corrections()).toEqual([]);
});
