import { beforeAll, describe, expect, it } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { checkPayer } from '../../lambdas/alerts/check-payer.ts';
import { accountAlerts, setAlerts } from '../../lambdas/management/alerts.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { accountPut, balanceEntryPut } from '../../lambdas/store/accounts/accounts.ts';
import type { AlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import type { AlertDelivery } from '../../lambdas/store/alerts/deliveries.ts';
import { configureUpdate, type ScopeKind } from '../../lambdas/store/counters/counters.ts';
import type { Limits } from '../../lambdas/store/counters/limits.ts';
import { tagScope, tagText } from '../../lambdas/store/counters/tag-scopes.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { storeAlerts } from '../support/alerts.ts';
import { holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const destination = { webhookUrl: 'https://receiver.example/alerts' };

async function watched(
  limits: Partial<Record<ScopeKind, Limits>>,
  settings: Partial<AlertSettings> = destination,
): Promise<Spender> {
  const spender = await newSpender(table, limits);
  const { accountId } = spender.payer;
  await storeAlerts(table, accountId, { kind: 'account', id: accountId }, settings);
  return spender;
}

/** Settles an amount, whatever the limits. */
async function spend(spender: Spender, amount: string, atMs = Date.now()): Promise<void> {
  const unlimited = { ...spender, scopes: spender.scopes.filter(({ limits }) => Object.keys(limits).length === 0) };
  const request = holdRequest(unlimited, Money.zero, { atMs });
  const { hold } = await placeHold(table, request);
  await settleBatch(table, [settlement(request, hold, rub(amount))], { swept: false });
}

async function checked({ payer }: Spender, atMs = Date.now(), date = utcDate(atMs)): Promise<string[]> {
  return (await checkPayer(table, { payer, date }, atMs)).map(summary);
}

async function checkedAfterRefusal({ payer }: Spender, amount: string): Promise<string[]> {
  const check = { payer, date: utcDate(Date.now()), refused: rub(amount) };
  return (await checkPayer(table, check, Date.now())).map(summary);
}

function summary({ type, data }: AlertDelivery): string {
  const { scope, interval, threshold_percent: percent } = JSON.parse(data) as Record<string, unknown>;
  return scope === undefined ? type : `${scope as string} ${interval as string} ${percent as number}`;
}

async function limit(spender: Spender, kind: ScopeKind, limits: Limits, revision: number): Promise<void> {
  const scope = spender.scopes.find((one) => one.kind === kind)!;
  await transact(table, { counter: configureUpdate(table, scope, { limits, revision, active: true }) });
}

describe('a threshold', () => {
  it('is reported when the spending reaches it, and not before', async () => {
    const spender = await watched({ key: { daily: rub('10') } });
    await spend(spender, '4.999999');
    expect(await checked(spender)).toEqual([]);

    await spend(spender, '0.000001');

    expect(await checked(spender)).toEqual(['key daily 50']);
    expect(await checked(spender)).toEqual([]);
  });

  it('is reported alone if lower ones are crossed at once', async () => {
    const spender = await watched({ member: { weekly: rub('10') } });
    await spend(spender, '9.6');

    expect(await checked(spender)).toEqual(['member weekly 95']);
    expect(await checked(spender)).toEqual([]);
  });

  it('of 100 percent is reported when the limit is spent, and not before', async () => {
    const spender = await watched({ workspace: { lifetime: rub('10') } }, { ...destination, thresholds: [100] });
    await spend(spender, '9.999999');
    expect(await checked(spender)).toEqual([]);

    await spend(spender, '0.000001');

    expect(await checked(spender)).toEqual(['workspace lifetime 100']);
  });

  it('of 100 percent is reported when the limit is spent, also after the report of a refusal', async () => {
    const spender = await watched({ key: { daily: rub('100') } });
    await spend(spender, '55');
    const refusal = await checkedAfterRefusal(spender, '46');
    await spend(spender, '26');
    const later = await checkedAfterRefusal(spender, '30');
    await spend(spender, '19');

    expect({ refusal, later, end: await checked(spender) }).toEqual({
      refusal: ['key daily 100'],
      later: ['key daily 80'],
      end: ['key daily 100'],
    });
    expect(await checkedAfterRefusal(spender, '1')).toEqual([]);
  });

  it('of 100 percent is reported once, if a refusal is checked after the report', async () => {
    const spender = await watched({ key: { daily: rub('10') } });
    await spend(spender, '10');
    expect(await checkedAfterRefusal(spender, '1')).toEqual(['key daily 100']);
    await spend(spender, '-1');

    expect(await checkedAfterRefusal(spender, '2')).toEqual([]);
  });

  it('of 100 percent is reported once, when spending leaves no room for a refused hold', async () => {
    const spender = await watched({ key: { daily: rub('10'), weekly: rub('100') } });
    await spend(spender, '7');
    expect(await checked(spender)).toEqual(['key daily 50']);
    expect(await checkedAfterRefusal(spender, '3')).toEqual([]);

    const [notice, ...more] = await checkPayer(
      table,
      { payer: spender.payer, date: utcDate(Date.now()), refused: rub('3.5') },
      Date.now(),
    );

    expect(more).toEqual([]);
    expect(notice).toMatchObject({ type: 'alert.limit.exhausted' });
    expect(notice!.subject).toBe('Model gateway: a daily limit of a key has refused a request');
    expect(notice!.text).toMatch(/^The daily limit of the key "[\w-]+" has refused a request that needs 3.5 RUB\.$/m);
    expect(JSON.parse(notice!.data)).toMatchObject({ spent_rub: 7, limit_rub: 10, refused_rub: 3.5 });
    expect(await checkedAfterRefusal(spender, '4')).toEqual([]);
  });

  it('of 100 percent is not reported for a hold above half of the limit', async () => {
    const spender = await watched({ key: { daily: rub('10') } });
    await spend(spender, '4.99');

    expect(await checkedAfterRefusal(spender, '5.02')).toEqual([]);
    expect(await checkedAfterRefusal(spender, '11')).toEqual([]);
  });

  it('is reported for every limited window and scope', async () => {
    const spender = await watched({ key: { daily: rub('10') }, workspace: { daily: rub('9'), monthly: rub('12') } });
    await spend(spender, '6');

    expect((await checked(spender)).toSorted()).toEqual(['key daily 50', 'workspace daily 50', 'workspace monthly 50']);
  });

  it('is reported for the budget of a tag, by the settings of the account', async () => {
    const spender = await watched({});
    const tag = tagText('project', 'лес');
    const scope = tagScope(spender.payer.accountId, tag);
    const counter = configureUpdate(table, scope, { limits: { monthly: rub('10') }, revision: 1, active: true });
    await transact(table, { counter });
    const payer = { ...spender.payer, countedTags: [tag] };
    await spend({ ...spender, payer }, '8.5');

    const [notice] = await checkPayer(table, { payer, date: utcDate(Date.now()) }, Date.now());

    expect(notice!.text).toContain('The tag "project=лес" has used 80 % of its monthly budget.');
    expect(notice!.subject).toBe('Model gateway: a tag has used 80 % of its monthly budget');
  });

  it('is not reported for a limit of 0', async () => {
    const spender = await watched({ key: { daily: Money.zero } });
    await spend(spender, '1');

    expect(await checked(spender)).toEqual([]);
  });

  it('is crossed by a limit that is lowered below the spending, and again after the limit is raised', async () => {
    const spender = await watched({ key: { daily: rub('100') } });
    await spend(spender, '40');
    expect(await checked(spender)).toEqual([]);

    await limit(spender, 'key', { daily: rub('30') }, 1);
    expect(await checked(spender)).toEqual(['key daily 100']);
    await limit(spender, 'key', { daily: rub('50') }, 2);
    expect(await checked(spender)).toEqual(['key daily 80']);
  });

  it('is not crossed again by a change of another limit of the scope', async () => {
    const spender = await watched({ workspace: { daily: rub('10') } });
    await spend(spender, '6');
    expect(await checked(spender)).toEqual(['workspace daily 50']);

    await limit(spender, 'workspace', { daily: rub('10'), weekly: rub('100') }, 1);

    expect(await checked(spender)).toEqual([]);
  });

  it('can be crossed once on each day, also by a check that runs after midnight', async () => {
    const spender = await watched({ key: { daily: rub('10'), monthly: rub('100') } });
    const midnightMs = Date.parse(utcDate(Date.now()));
    await spend(spender, '6', midnightMs - 1_000);

    const yesterday = utcDate(midnightMs - DAY_MS);
    expect(await checked(spender, midnightMs + 4_000, yesterday)).toEqual(['key daily 50']);
    expect(await checked(spender, midnightMs + 4_000)).toEqual([]);

    await spend(spender, '6', midnightMs + 5_000);
    expect(await checked(spender, midnightMs + 10_000)).toEqual(['key daily 50']);
  });
});

describe('settings', () => {
  it('of the nearest owner apply', async () => {
    const spender = await watched({ key: { daily: rub('10') }, member: { daily: rub('10') } });
    const { accountId, workspaceId, keyHash } = spender.payer;
    await storeAlerts(table, accountId, { kind: 'key', id: keyHash }, { thresholds: [] });
    await storeAlerts(table, accountId, { kind: 'workspace', id: workspaceId }, { ...destination, thresholds: [30] });
    await spend(spender, '4');

    // The key's settings have no thresholds, and the member uses the settings of its workspace.
    expect(await checked(spender)).toEqual(['member daily 30']);
  });

  it('without a destination send nothing, and the notice follows when there is one', async () => {
    const spender = await watched({ key: { daily: rub('10') } }, {});
    const { accountId } = spender.payer;
    await spend(spender, '6');
    expect(await checked(spender)).toEqual([]);

    await storeAlerts(table, accountId, { kind: 'account', id: accountId }, { ...destination, version: 2 });

    expect(await checked(spender)).toEqual(['key daily 50']);
  });

  it('with a webhook and an e-mail address make one delivery for each', async () => {
    const spender = await watched({ key: { daily: rub('10') } }, { ...destination, email: 'team@example.com' });
    await spend(spender, '6');

    const { payer } = spender;
    const deliveries = await checkPayer(table, { payer, date: utcDate(Date.now()) }, Date.now());

    expect(deliveries.map(({ channel }) => channel)).toEqual(['webhook', 'email']);
  });
});

it('a notice has the spending, the limit, the rate, the time of exhaustion and a link', async () => {
  const spender = await watched({ key: { daily: rub('10') } });
  const { payer } = spender;
  const startMs = Date.parse(utcDate(Date.now()));
  await spend(spender, '6', startMs + 1_000);

  const [delivery] = await checkPayer(table, { payer, date: utcDate(startMs) }, startMs + 6 * 3_600_000);

  const end = new Date(startMs + DAY_MS);
  const exhausted = new Date(startMs + 10 * 3_600_000);
  expect(JSON.parse(delivery!.data)).toEqual({
    scope: 'key',
    id: payer.keyHash,
    name: `key "${payer.keyHash.slice(0, 12)}"`,
    interval: 'daily',
    window: `day_${utcDate(startMs)}`,
    threshold_percent: 50,
    spent_rub: 6,
    limit_rub: 10,
    refused_rub: null,
    hourly_rate_rub: 1,
    exhausted_at: exhausted.toISOString(),
    resets_at: end.toISOString(),
    console_url: `https://gateway.example/v1/console#/generations?key=${payer.keyHash}`,
  });
  expect(delivery!.text.split('\n')).toEqual([
    `The key "${payer.keyHash.slice(0, 12)}" has used 50 % of its daily limit.`,
    'Spent: 6.00 RUB of 10.00 RUB.',
    'Spending per hour: 1.00 RUB.',
    `At this rate, the money is used up at about ${exhausted.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
    `The day ends at ${end.toISOString().slice(0, 10)} 00:00 UTC.`,
    `https://gateway.example/v1/console#/generations?key=${payer.keyHash}`,
  ]);
  expect(delivery!.subject).toBe('Model gateway: a key has used 50 % of its daily limit');
});

/** Creates a prepaid account with a balance of 100 RUB. `pay` raises the sum of all payments to an amount. */
async function prepaid(
  settings: Partial<AlertSettings> = {},
): Promise<Spender & { pay: (to: string) => Promise<void> }> {
  const spender = await watched({}, { ...destination, ...settings });
  const { accountId: id } = spender.payer;
  const account = { id, name: 'Bell', mode: 'prepaid', status: undefined, limits: {}, revision: 0 } as const;
  const rest = { privacy: { version: 0 }, defaultWorkspaceId: '', createdAt: '', recordsSpreadSince: undefined };
  await transact(table, { account: accountPut(table, { ...account, ...rest } as Parameters<typeof accountPut>[1]) });
  let revision = 0;
  const pay = async (total: string) => {
    revision += 1;
    await limit(spender, 'account', { lifetime: rub(total) }, revision);
    const entry = {
      id: `pay-${revision}`,
      kind: 'top_up',
      amount: rub('100'),
      note: undefined,
      actor: undefined,
    } as const;
    const createdAt = new Date().toISOString();
    await transact(table, { entry: balanceEntryPut(table, id, { ...entry, createdAt }) });
  };
  await pay('100');
  return { ...spender, pay };
}

describe('a prepaid balance', () => {
  it('is low at a fifth of the last payment, and exhausted at its end, each reported once', async () => {
    const spender = await prepaid();
    await spend(spender, '79');
    expect(await checked(spender)).toEqual([]);
    await spend(spender, '1');
    expect(await checked(spender)).toEqual(['alert.balance.low']);
    await spend(spender, '10');
    expect(await checked(spender)).toEqual([]);
    await spend(spender, '10');
    expect(await checked(spender)).toEqual(['alert.balance.exhausted']);
    expect(await checked(spender)).toEqual([]);
  });

  it('is reported when it refuses a hold of at most half of the last payment, and again when it is low and spent', async () => {
    const spender = await prepaid();
    await spend(spender, '55');
    expect(await checkedAfterRefusal(spender, '51')).toEqual([]);
    const check = { payer: spender.payer, date: utcDate(Date.now()), refused: rub('50') };
    const [notice] = await checkPayer(table, check, Date.now());
    expect(notice).toMatchObject({
      type: 'alert.balance.exhausted',
      subject: 'Model gateway: the balance has refused a request',
    });
    expect(notice!.text).toContain('The balance of the account, 45.00 RUB, has refused a request that needs 50 RUB.');
    expect(await checkedAfterRefusal(spender, '48')).toEqual([]);

    await spend(spender, '35');
    expect(await checkedAfterRefusal(spender, '11')).toEqual(['alert.balance.low']);
    await spend(spender, '10');
    expect(await checkedAfterRefusal(spender, '11')).toEqual(['alert.balance.exhausted']);
    expect(await checkedAfterRefusal(spender, '12')).toEqual([]);
  });

  it('is reported for a refused hold up to the low balance that the account has chosen', async () => {
    const spender = await prepaid({ lowBalance: rub('80') });
    await spend(spender, '30');

    expect(await checkedAfterRefusal(spender, '81')).toEqual(['alert.balance.low']);
    expect(await checkedAfterRefusal(spender, '75')).toEqual(['alert.balance.exhausted']);
  });

  it('is reported again for a refusal only after a payment has raised it to twice the low balance', async () => {
    const spender = await prepaid();
    await spend(spender, '90');
    expect(await checkedAfterRefusal(spender, '11')).toEqual(['alert.balance.exhausted']);

    await spender.pay('120');
    expect(await checkedAfterRefusal(spender, '31')).toEqual([]);
    await spender.pay('200');
    expect(await checked(spender)).toEqual([]);
    await spend(spender, '65');

    expect(await checkedAfterRefusal(spender, '46')).toEqual(['alert.balance.exhausted']);
  });

  it('is reported again after alerts were turned off and on', async () => {
    const spender = await prepaid();
    await spend(spender, '85');
    expect(await checked(spender)).toEqual(['alert.balance.low']);
    const { accountId } = spender.payer;
    const context = { table, accountId, actor: { kind: 'operator', id: 'test' } } as const;
    const tools = { mails: undefined, urlRules: { lookup: async () => [] }, baseUrl: undefined };

    await setAlerts(context, accountAlerts(accountId), {}, tools);
    expect(await checked(spender)).toEqual([]);
    await setAlerts(context, accountAlerts(accountId), destination, tools);

    expect(await checked(spender)).toEqual(['alert.balance.low']);
  });

  it('is reported again only after it has risen to twice the low balance', async () => {
    const spender = await prepaid();
    await spend(spender, '85');
    expect(await checked(spender)).toEqual(['alert.balance.low']);

    await spender.pay('120');
    expect(await checked(spender)).toEqual([]);
    await spend(spender, '20');
    expect(await checked(spender)).toEqual([]);

    await spender.pay('145');
    expect(await checked(spender)).toEqual([]);
    await spend(spender, '21');
    expect(await checked(spender)).toEqual(['alert.balance.low']);
  });

  it('has the threshold that the account has chosen', async () => {
    const spender = await prepaid({ lowBalance: rub('50') });
    await spend(spender, '51');

    expect(await checked(spender)).toEqual(['alert.balance.low']);
  });
});
