import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../lambdas/management/accounts.ts';
import * as balance from '../../lambdas/management/balance.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { listBalanceEntries, readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { readCounter, type Scope } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { Money } from '../../lambdas/money/money.ts';
import { giveLimitedParts, newTableWithParts } from '../support/counter-parts.ts';
import { holdRequest, newSpender, rub, settlement } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

type Payment = Omit<balance.Payment, 'reference'> & { reference?: string };
const payment = (given: Payment): balance.Payment => ({ reference: randomUUID(), ...given });
const topUp = (account: ChangeContext, given: Payment) => balance.topUp(account, payment(given));
const refund = (account: ChangeContext, given: Payment) => balance.refund(account, payment(given));

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

async function prepaidAccount(): Promise<ChangeContext> {
  const actor = { kind: 'operator', id: 'test' } as const;
  const { id: accountId } = await createAccount(table, actor, { name: 'Bell', mode: 'prepaid' });
  return { table, accountId, actor };
}

const totalOf = async ({ accountId }: ChangeContext) =>
  (await readAccount(table, accountId))!.limits.lifetime!.toString();

describe('top-ups', () => {
  it('are all booked to the last digit, also if they are concurrent', async () => {
    const account = await prepaidAccount();

    await Promise.all(Array.from({ length: 8 }, () => topUp(account, { amount: rub('0.000000000001') })));

    expect(await totalOf(account)).toBe('0.000000000008');
  });

  it('are in the audit with their amount and reference', async () => {
    const account = await prepaidAccount();

    await topUp(account, { amount: rub('7'), reference: 'INV-4', note: 'Invoice 4' });

    const [booked] = await readAudit(table, account.accountId, { limit: 1 });
    expect(booked).toMatchObject({
      action: 'account.top_up',
      after: { lifetime: '7', amount_rub: '7', reference: 'INV-4', note: 'Invoice 4' },
    });
  });

  it('are booked once if they have the same reference, also if they are concurrent', async () => {
    const account = await prepaidAccount();
    const invoice = { amount: rub('7'), reference: 'INV-2', note: 'Invoice 2' };

    const booked = await Promise.all(Array.from({ length: 8 }, () => topUp(account, invoice)));

    expect(await totalOf(account)).toBe('7');
    expect(await listBalanceEntries(table, account.accountId)).toMatchObject([{ id: 'INV-2', note: 'Invoice 2' }]);
    expect(booked.filter(({ wasBooked }) => !wasBooked)).toHaveLength(1);
    expect(new Set(booked.map(({ account: { limits } }) => limits.lifetime!.toString()))).toEqual(new Set(['7']));
  });

  it('of different accounts may have the same reference', async () => {
    const [one, other] = [await prepaidAccount(), await prepaidAccount()];

    await topUp(one, { amount: rub('1'), reference: 'INV-3' });
    await topUp(other, { amount: rub('2'), reference: 'INV-3' });

    expect([await totalOf(one), await totalOf(other)]).toEqual(['1', '2']);
  });

  it('are refused if one reference has two amounts', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('1'), reference: 'INV-4' });

    await expect(topUp(account, { amount: rub('2'), reference: 'INV-4' })).rejects.toMatchObject({ status: 409 });
    expect(await totalOf(account)).toBe('1');
  });
});

/** Returns the scope in which requests hold money. */
async function scopeOf({ accountId }: ChangeContext): Promise<Scope> {
  const { limits, revision } = (await readAccount(table, accountId))!;
  return { kind: 'account', id: accountId, limits, revision };
}

/** Places a hold, and returns it; undefined if the limit would be exceeded. */
async function hold(account: ChangeContext, amount: string) {
  const scope = await scopeOf(account);
  const { payer } = await newSpender(table, {});
  const spender = { payer: { ...payer, accountId: account.accountId }, scopes: [scope] };
  const request = holdRequest(spender, rub(amount));
  const result = await placeHold(table, request);
  return 'placed' in result ? { request, ...result.placed } : undefined;
}

async function spend(account: ChangeContext, amount: string): Promise<void> {
  const { request, hold: held } = (await hold(account, amount))!;
  await settleBatch(table, [settlement(request, held, rub(amount))], { swept: false });
}

const committed = async ({ accountId }: ChangeContext) =>
  (await readCounter(table, { kind: 'account', id: accountId })).committed('lifetime').toString();

describe('a refund', () => {
  it('is a negative entry of the ledger, and lowers the balance', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('10'), reference: 'INV-5' });

    const booked = await refund(account, { amount: rub('4'), note: 'Paid back', reference: 'REF-5' });

    expect(booked).toMatchObject({ wasBooked: false });
    expect(await totalOf(account)).toBe('6');
    expect(
      (await listBalanceEntries(table, account.accountId)).map(({ id, amount }) => [id, amount.toString()]),
    ).toEqual([
      ['INV-5', '10'],
      ['REF-5', '-4'],
    ]);
    expect(await hold(account, '6.000000000001')).toBeUndefined();
    expect(await hold(account, '6')).toBeDefined();
  });

  it('is limited to the amount that is neither spent nor held', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('10') });
    await spend(account, '3');
    await hold(account, '2');

    await expect(refund(account, { amount: rub('5.000000000001') })).rejects.toThrow(
      '5.000000000001 RUB cannot be refunded, but at most 5 RUB: 10 RUB were paid in, 3 are spent, and 2 are held by requests in flight.',
    );
    await refund(account, { amount: rub('5') });

    expect(await totalOf(account)).toBe('5');
  });

  it('above the payments is refused, also if nothing was ever spent', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('1') });

    await expect(refund(account, { amount: rub('2') })).rejects.toMatchObject({ status: 409 });
    expect(await totalOf(account)).toBe('1');
  });

  it.each(['4', '10'])('of %s roubles of ten is booked once, for any number of concurrent requests', async (amount) => {
    for (let round = 0; round < 5; round += 1) {
      const account = await prepaidAccount();
      await topUp(account, { amount: rub('10') });
      const once = { amount: rub(amount), reference: 'REF-6' };

      const booked = await Promise.all(Array.from({ length: 8 }, () => refund(account, once)));

      expect(await totalOf(account)).toBe(rub('10').minus(rub(amount)).toString());
      expect(booked.filter(({ wasBooked }) => !wasBooked)).toHaveLength(1);
    }
  });

  it('cannot have the reference of a top-up', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('4'), reference: 'INV-7' });

    await expect(refund(account, { amount: rub('4'), reference: 'INV-7' })).rejects.toMatchObject({ status: 409 });
  });

  it('of a postpaid account is refused, because it has no balance', async () => {
    const actor = { kind: 'operator', id: 'test' } as const;
    const { id: accountId } = await createAccount(table, actor, { name: 'Bell', mode: 'postpaid' });

    await expect(refund({ table, accountId, actor }, { amount: rub('4') })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('accounts create --mode prepaid'),
    });
  });

  it('never takes an amount that a concurrent request holds', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('10') });

    const [refunds, holds] = await Promise.all([
      Promise.allSettled(Array.from({ length: 8 }, () => refund(account, { amount: rub('1') }))),
      Promise.all(Array.from({ length: 8 }, () => hold(account, '1'))),
    ]);

    const given = refunds.filter(({ status }) => status === 'fulfilled').length;
    const refused = refunds.flatMap((one) => (one.status === 'rejected' ? [one.reason as { status: number }] : []));
    expect(refused.filter(({ status }) => status !== 409)).toEqual([]);
    const held = holds.filter((placed) => placed !== undefined).length;
    // Sixteen roubles were requested, and the balance is ten.
    expect(given).toBeGreaterThan(0);
    expect(held).toBeGreaterThan(0);
    expect(given + held).toBeLessThanOrEqual(10);
    expect([await totalOf(account), await committed(account)]).toEqual([String(10 - given), String(held)]);
    const entries = await listBalanceEntries(table, account.accountId);
    expect(Money.sum(entries.map(({ amount }) => amount)).toString()).toBe(await totalOf(account));
  });
});

describe('an excessively large payment', () => {
  it('is refused before the balance has too many digits', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('900000000000000') });

    await expect(topUp(account, { amount: rub('900000000000000') })).rejects.toMatchObject({ status: 400 });
    expect(await totalOf(account)).toBe('900000000000000');
  });
});

describe('a balance with room granted to parts of its counter', () => {
  it('is raised and lowered, with effect on the next hold', async () => {
    const busyTable = await newTableWithParts();
    const actor = { kind: 'operator', id: 'test' } as const;
    const { id: accountId } = await createAccount(busyTable, actor, { name: 'Busy', mode: 'prepaid' });
    const account: ChangeContext = { table: busyTable, accountId, actor };
    await topUp(account, { amount: rub('100') });
    const scope = async (): Promise<Scope> => {
      const { limits, revision } = await readCounter(account.table, { kind: 'account', id: accountId });
      return { kind: 'account', id: accountId, limits, revision };
    };
    const spender = await newSpender(account.table, {});
    const hold = async (amount: string) => {
      const request = holdRequest({ payer: { ...spender.payer, accountId }, scopes: [await scope()] }, rub(amount));
      return placeHold(account.table, request);
    };
    await giveLimitedParts(account.table, await scope());
    expect(await hold('0.1')).toHaveProperty('placed');

    await topUp(account, { amount: rub('50') });
    await giveLimitedParts(account.table, await scope());
    await refund(account, { amount: rub('149') });

    expect(await hold('0.91')).toMatchObject({ refused: { kind: 'no_room' } });
    expect(await hold('0.9')).toHaveProperty('placed');
    await expect(refund(account, { amount: rub('0.1') })).rejects.toMatchObject({ status: 409 });
  });
});
