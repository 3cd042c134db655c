/** Clients of an account that is suspended, closed, limited or adjusted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';

type Row = Record<string, string>;

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-accounts-'));
  gateway = await startGateway({ args: ['--data', directory], env: { CALLER_CACHE_MS: '1' } });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Actor in the ledger: the person who runs the commands. */
const operator = `operator ${userInfo().username}`;

const run = (account: string, ...args: string[]) => adminHere(directory, '--json', '--account', account, ...args);

async function json(account: string, ...args: string[]): Promise<Row> {
  const { out, err } = await run(account, ...args);
  expect(err).toBe('');
  return JSON.parse(out) as Row;
}

async function newAccount(mode: string) {
  const { out } = await adminHere(directory, '--json', 'accounts', 'create', '--name', 'Acme', '--mode', mode);
  const { id } = JSON.parse(out) as { id: string };
  const { key } = await json(id, 'keys', 'create', '--name', 'client');
  const { key: managementKey } = await json(id, 'keys', 'create', '--kind', 'management', '--name', 'ops');
  return { id, client: { ...gateway, key: key!, managementKey: managementKey! } };
}

async function ask(client: RunningGateway, maxTokens = 20) {
  const body = { model: 'sandbox/claude', max_tokens: maxTokens, messages: [said('Hi', 'delay=0')] };
  const response = await post(client, '/messages', body);
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape
  return { status: response.status, body: (await response.json()) as any };
}

describe('a suspended account', () => {
  it('spends nothing, stays readable, and continues after it is resumed', async () => {
    const { id, client } = await newAccount('postpaid');
    expect((await ask(client)).status).toBe(200);

    await json(id, 'accounts', 'suspend', '--reason', 'Invoice 12 is not paid');
    const refused = await ask(client);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringMatching(/suspended/) as string } },
    });
    expect((await get(client, '/key')).status).toBe(200);
    expect((await get(client, '/keys', client.managementKey)).status).toBe(200);

    await json(id, 'accounts', 'resume', '--reason', 'Paid');
    expect((await ask(client)).status).toBe(200);
  });

  it('is refused with 403 although it has a balance', async () => {
    const { id, client } = await newAccount('prepaid');
    await json(id, 'accounts', 'top-up', '--amount', '100');
    await json(id, 'accounts', 'suspend', '--reason', 'Fraud');
    expect(await ask(client)).toMatchObject({ status: 403 });
  });

  it('has an audit entry with the reason', async () => {
    const { id } = await newAccount('postpaid');
    await json(id, 'accounts', 'suspend', '--reason', 'Invoice 12');
    const { out } = await run(id, 'audit', '--limit', '1');
    expect(JSON.parse(out)).toMatchObject([
      {
        action: 'account.suspended',
        before: { status: 'active' },
        after: { status: 'suspended', reason: 'Invoice 12' },
      },
    ]);
  });
});

describe('a closed account', () => {
  it('has no working key until it is reopened', async () => {
    const { id, client } = await newAccount('postpaid');
    await json(id, 'accounts', 'close', '--reason', 'Left');

    expect((await ask(client)).status).toBe(401);
    expect((await get(client, '/keys', client.managementKey)).status).toBe(401);

    await json(id, 'accounts', 'resume', '--reason', 'Came back');
    expect((await ask(client)).status).toBe(200);
  });

  it('is not possible with a remaining balance', async () => {
    const { id } = await newAccount('prepaid');
    await json(id, 'accounts', 'top-up', '--amount', '12.5');

    expect((await run(id, 'accounts', 'close', '--reason', 'Left')).err).toMatch(
      /12\.5 RUB.*are not spent\. Refund them/,
    );
    await json(id, 'accounts', 'refund', '--amount', '12.5');
    expect(await json(id, 'accounts', 'close', '--reason', 'Left')).toMatchObject({ status: 'closed' });
  });
});

describe('the credit limit of an account', () => {
  it('refuses spending above the limit of the period, by its name', async () => {
    const { id, client } = await newAccount('postpaid');
    await json(id, 'accounts', 'limit', '--period', 'monthly', '--limit', '0.05');

    const refused = await ask(client, 5_000);
    expect(refused).toMatchObject({
      status: 402,
      body: { error: { metadata: { limit_source: 'account_limit', interval: 'monthly', limit_rub: '0.05' } } },
    });
    expect(refused.body.error.message).toMatch(/the credit limit of the account \(0\.05 RUB monthly\)/);
    expect((await ask(client, 10)).status).toBe(200);
    const limits = async () =>
      ((await (await get(client, '/credits', client.managementKey)).json()) as { data: { limits: unknown } }).data
        .limits;
    expect(await limits()).toEqual([
      {
        interval: 'monthly',
        limit_rub: '0.05',
        spend_rub: expect.any(String) as string,
        remaining_rub: expect.any(String) as string,
        resets_at: expect.any(String) as string,
      },
    ]);

    await json(id, 'accounts', 'limit', '--period', 'monthly', '--limit', 'none');
    expect(await limits()).toEqual([]);
    expect((await ask(client, 5_000)).status).toBe(200);
  });

  it('cannot be set for a prepaid account, which has its balance', async () => {
    const { id } = await newAccount('prepaid');
    expect((await run(id, 'accounts', 'limit', '--limit', '5')).err).toMatch(/its balance is its limit/);
  });
});

describe('an adjustment of an account', () => {
  it('is in the balance and the ledger of a prepaid account, once per reference', async () => {
    const { id, client } = await newAccount('prepaid');
    await json(id, 'accounts', 'top-up', '--amount', '10');
    const adjust = () =>
      json(id, 'accounts', 'adjust', '--amount=-2.5', '--reason', 'Booked twice', '--reference', 'A-1');
    await adjust();
    await adjust();
    await json(id, 'accounts', 'adjust', '--amount', '0.75', '--reason', 'Good will');

    const { out } = await run(id, 'top-ups', 'list');
    expect(
      (JSON.parse(out) as Row[]).map(({ kind, amount_rub, total_rub, note, by }) => [
        kind,
        amount_rub,
        total_rub,
        note,
        by,
      ]),
    ).toEqual([
      ['top_up', '10', '10', null, operator],
      ['adjustment', '-2.5', '7.5', 'Booked twice', operator],
      ['adjustment', '0.75', '8.25', 'Good will', operator],
    ]);
    const credits = (await (await get(client, '/credits', client.managementKey)).json()) as { data: object };
    expect(credits.data).toMatchObject({ total_credits: 8.25, balance: 8.25 });
    const { balance } = (await json(id, 'statement')) as unknown as { balance: object };
    expect(balance).toMatchObject({ paid_in_rub: '10', adjusted_rub: '-1.75', closing_rub: '8.25' });
    expect(JSON.parse((await run(id, 'reconcile', '--deep')).out)).toMatchObject({ sound: true });
  });

  it('is limited to the remaining balance', async () => {
    const { id } = await newAccount('prepaid');
    expect((await run(id, 'accounts', 'adjust', '--amount=-1', '--reason', 'x')).err).toMatch(
      /cannot be refunded, but at most 0/,
    );
  });

  it('is a line in the statement of a postpaid account', async () => {
    const { id } = await newAccount('postpaid');
    await json(id, 'accounts', 'adjust', '--amount', '12', '--reason', 'Outage of 3 November');
    const { payments } = (await json(id, 'statement')) as unknown as { payments: object[] };
    expect(payments).toMatchObject([{ kind: 'adjustment', amount_rub: '12', note: 'Outage of 3 November' }]);
  });
});
