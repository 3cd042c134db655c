import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, topUp } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { listTopUps, readAccount } from '../../lambdas/store/accounts.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

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

describe('top-ups that come at once', () => {
  it('are all booked, to the last digit', async () => {
    const account = await prepaidAccount();

    await Promise.all(Array.from({ length: 8 }, () => topUp(account, { amount: rub('0.000000000001') })));

    expect(await totalOf(account)).toBe('0.000000000008');
  });

  it('are booked once, where they have one reference', async () => {
    const account = await prepaidAccount();
    const payment = { amount: rub('7'), reference: 'INV-2', note: 'Invoice 2' };

    const booked = await Promise.all(Array.from({ length: 8 }, () => topUp(account, payment)));

    expect(await totalOf(account)).toBe('7');
    expect(await listTopUps(table, account.accountId)).toMatchObject([{ id: 'INV-2', note: 'Invoice 2' }]);
    expect(booked.filter(({ wasBooked }) => !wasBooked)).toHaveLength(1);
    expect(new Set(booked.map(({ account: { limits } }) => limits.lifetime!.toString()))).toEqual(new Set(['7']));
  });

  it('are of their accounts: another one may have the same reference', async () => {
    const [one, other] = [await prepaidAccount(), await prepaidAccount()];

    await topUp(one, { amount: rub('1'), reference: 'INV-3' });
    await topUp(other, { amount: rub('2'), reference: 'INV-3' });

    expect([await totalOf(one), await totalOf(other)]).toEqual(['1', '2']);
  });

  it('are refused, where one reference has two amounts', async () => {
    const account = await prepaidAccount();
    await topUp(account, { amount: rub('1'), reference: 'INV-4' });

    await expect(topUp(account, { amount: rub('2'), reference: 'INV-4' })).rejects.toMatchObject({ status: 409 });
    expect(await totalOf(account)).toBe('1');
  });
});
