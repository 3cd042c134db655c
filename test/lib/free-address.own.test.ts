import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { subscribeAddress } from '../../lambdas/management/alert-addresses.ts';
import { addressHash, mailsThrough } from '../../lambdas/platform/mails.ts';
import { readAlertAddresses } from '../../lambdas/store/alerts/alert-addresses.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { emailsInUse, freeAddress } from '../../lib/admin/alerts/free-address.ts';
import { storeAlerts } from '../support/alerts.ts';
import { startFakeSns, type FakeSns } from '../support/fake-sns.ts';
import { newTable } from '../support/table.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:Mails';
const email = 'r&d@example.com';
const hash = addressHash(email);

let sns: FakeSns;
let table: Table;
beforeEach(async () => {
  [sns, table] = await Promise.all([startFakeSns(topicArn), newTable()]);
  sns.isOperator = true;
  vi.stubEnv('AWS_ENDPOINT_URL_SNS', sns.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await sns.stop();
});

const subscribe = (accountId: string) => subscribeAddress(table, accountId, { mails: mailsThrough(topicArn), email });
const free = (accountId: string) => freeAddress(table, { accountId, hash }, topicArn);
const accounts = async () => (await readAlertAddresses(table)).addresses.map(({ accountId }) => accountId);

/** Sends an e-mail, and returns the number of e-mails that arrive. */
async function received(): Promise<number> {
  const before = sns.mails.length;
  await mailsThrough(topicArn).send({ to: email, subject: 'A subject', text: 'A text' });
  return sns.mails.length - before;
}

describe('an unused address', () => {
  it('is removed with its subscription, also if many subscriptions come before it', async () => {
    for (let count = 0; count < 120; count += 1) await mailsThrough(topicArn).subscribe(`a${count}@example.com`);
    await subscribe('acme');
    sns.confirm(email);
    expect(await received()).toBe(1);

    expect(await free('acme')).toBe('removed');

    expect(await received()).toBe(0);
    expect(await accounts()).toEqual([]);
  });

  it('is removed from the list if its owner has not confirmed it', async () => {
    await subscribe('acme');

    expect(await free('acme')).toBe('unconfirmed');

    expect(await accounts()).toEqual([]);
  });

  it('is removed from the list if SNS has deleted its subscription', async () => {
    await subscribe('acme');
    sns.nowMs = () => Date.now() + 49 * 3_600_000;

    expect(await free('acme')).toBe('none');

    expect(await accounts()).toEqual([]);
  });

  it('keeps its subscription while another account has the address', async () => {
    await subscribe('acme');
    await subscribe('bell');
    sns.confirm(email);

    expect(await free('acme')).toBe('none');

    expect(await received()).toBe(1);
    expect(await accounts()).toEqual(['bell']);
  });

  it('stays in the list if SNS does not remove the subscription', async () => {
    await subscribe('acme');
    sns.isOperator = false;

    await expect(free('acme')).rejects.toMatchObject({ name: 'AuthorizationError' });

    expect(await accounts()).toEqual(['acme']);
  });
});

it('an address in settings of its account is not removed', async () => {
  await subscribe('acme');
  await storeAlerts(table, 'acme', { kind: 'account', id: 'acme' }, { email: 'R&D@example.com' });

  await expect(free('acme')).rejects.toMatchObject({ status: 409 });

  expect(await accounts()).toEqual(['acme']);
  expect(await emailsInUse(table, 'acme')).toEqual(new Map([[hash, 'R&D@example.com']]));
});

it('an address that is not in the list is not found', async () => {
  await expect(free('acme')).rejects.toMatchObject({ status: 404 });
});
