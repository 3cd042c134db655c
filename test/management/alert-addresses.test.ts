import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_ADDRESSES_OF_ACCOUNT, subscribeAddress } from '../../lambdas/management/alert-addresses.ts';
import { invalidRequest } from '../../lambdas/platform/errors.ts';
import type { Mails } from '../../lambdas/platform/mails.ts';
import { MAX_ADDRESSES, readAlertAddresses } from '../../lambdas/store/alerts/alert-addresses.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let subscribed: string[];
let mails: Mails;
beforeEach(async () => {
  table = await newTable();
  subscribed = [];
  mails = { subscribe: async (address) => void subscribed.push(address), send: async () => {} };
});

const subscribe = (accountId: string, email: string) => subscribeAddress(table, accountId, { mails, email });
const refusalOf = (work: Promise<void>) => work.catch((error: unknown) => error);

describe('the e-mail addresses of alerts', () => {
  it('of an account are bounded, also if they are set concurrently', async () => {
    const addresses = Array.from({ length: MAX_ADDRESSES_OF_ACCOUNT + 5 }, (_, count) => `a${count}@example.com`);
    for (const address of addresses.slice(0, MAX_ADDRESSES_OF_ACCOUNT - 2)) await subscribe('acme', address);

    const results = await Promise.allSettled(
      addresses.slice(MAX_ADDRESSES_OF_ACCOUNT - 2).map((address) => subscribe('acme', address)),
    );

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(subscribed).toHaveLength(MAX_ADDRESSES_OF_ACCOUNT);
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused!.reason).toMatchObject({ status: 400, metadata: { field: 'email' } });
    await subscribe('acme', 'A0@example.com');
    await subscribe('bell', 'a0@example.com');
  });

  it('of all accounts are bounded', async () => {
    for (let count = 0; count < MAX_ADDRESSES; count += 1) {
      await subscribe(`account-${Math.floor(count / MAX_ADDRESSES_OF_ACCOUNT)}`, `a${count}@example.com`);
    }

    expect(await refusalOf(subscribe('acme', 'b@example.com'))).toMatchObject({
      status: 409,
      metadata: { field: 'email' },
    });
  });

  it('are not stored if they are rejected', async () => {
    mails = { ...mails, subscribe: () => Promise.reject(invalidRequest('email', 'was rejected')) };

    expect(await refusalOf(subscribe('acme', 'a@example.com'))).toMatchObject({ status: 400 });
    expect((await readAlertAddresses(table)).addresses).toEqual([]);
  });
});
