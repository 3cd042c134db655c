import { beforeAll, describe, expect, it } from 'vitest';
import { fundingOf } from '../../lambdas/admission/free/funding.ts';
import { readAccount, type Account } from '../../lambdas/store/accounts/accounts.ts';
import { settleUpdate } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { topUp } from '../../lambdas/management/balance.ts';
import { rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const actor = { kind: 'operator', id: 'test', label: 'test' } as const;
const terms = (balance: string, topups: string) => ({
  funded_balance_threshold_rub: rub(balance),
  funded_topup_threshold_rub: rub(topups),
});

async function account(mode: Account['mode'], paid: string, spent: string): Promise<Account> {
  const { id } = await createAccount(table, actor, { name: 'test', mode });
  if (paid !== '0') await topUp({ table, accountId: id, actor }, { amount: rub(paid), reference: 'paid' });
  const scope = { kind: 'account', id } as const;
  if (spent !== '0') {
    await transact(table, { spent: settleUpdate(table, scope, new Map([['spent_lifetime', rub(spent).pico]])) });
  }
  return (await readAccount(table, id))!;
}

describe('the funding of an account is', () => {
  it.each([
    ['funded', 'postpaid', '0', '0', terms('100', '500')],
    ['not funded', 'prepaid', '0', '0', terms('100', '500')],
    ['not funded', 'prepaid', '99.999999999999', '0', terms('100', '500')],
    ['funded', 'prepaid', '100', '0', terms('100', '500')],
    ['not funded', 'prepaid', '100', '0.000000000001', terms('100', '500')],
    ['funded', 'prepaid', '500', '500', terms('100', '500')],
    ['not funded', 'prepaid', '300', '250', terms('100', '500')],
    ['funded', 'prepaid', '300', '200', terms('100', '500')],
    ['funded', 'prepaid', '0', '0', terms('100', '0')],
    ['funded', 'prepaid', '300', '300', terms('500', '300')],
  ] as const)('%s: %s, %s paid in, %s spent', async (expected, mode, paid, spent, one) => {
    const isFunded = await fundingOf(table, await account(mode, paid, spent), [one]);

    expect(isFunded(one)).toBe(expected === 'funded');
  });

  it('decided for each model by its own terms', async () => {
    const [strict, lenient] = [terms('1000', '5000'), terms('10', '5000')];

    const isFunded = await fundingOf(table, await account('prepaid', '50', '20'), [strict, lenient]);

    expect([isFunded(strict), isFunded(lenient)]).toEqual([false, true]);
  });
});
