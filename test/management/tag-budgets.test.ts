import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeSettlement } from '../../lambdas/accounting/settlement.ts';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { InferenceCaller } from '../../lambdas/admission/caller.ts';
import { withTags } from '../../lambdas/admission/tagged-caller.ts';
import { setTagBudget, type TagBudgetChange } from '../../lambdas/management/tag-budgets.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { MAX_BUDGETED_TAGS, readTagSettings, tagSettingsPut } from '../../lambdas/store/accounts/account-tags.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import { tagScope, tagText } from '../../lambdas/store/counters/tag-scopes.ts';
import type { RequestTags } from '../../lambdas/store/generations/request-tags.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { books, holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const actor = { kind: 'operator', id: 'test' } as const;
const lake = { name: 'project', value: 'озеро #1, "a=b"/c' };
const core = { name: 'team', value: 'core' };

function contextOf({ payer }: Spender) {
  return { table, accountId: payer.accountId, actor };
}

function setBudget(spender: Spender, change: Partial<TagBudgetChange>) {
  return setTagBudget(contextOf(spender), { ...lake, interval: 'daily', limit: rub('33.5'), ...change });
}

/** Returns a spender with these tags and with the account's current budgets. */
async function tagged(spender: Spender, tags: RequestTags, from = spender): Promise<Spender> {
  const { budgets } = await readTagSettings(table, spender.payer.accountId);
  const { payer, scopes } = from;
  const account = { id: payer.accountId };
  return withTags({ payer, scopes, account, tagBudgets: budgets } as unknown as InferenceCaller, tags);
}

/** Sets budgets of other tags until the account has the maximum number. */
async function fillUp({ payer }: Spender): Promise<void> {
  const settings = await readTagSettings(table, payer.accountId);
  const more = Array.from({ length: MAX_BUDGETED_TAGS - settings.budgets.length }, (_, index) => ({
    ...settings.budgets[0]!,
    tag: tagText('project', `v${index}`),
  }));
  const full = { ...settings, budgets: [...settings.budgets, ...more], version: settings.version + 1 };
  await writeAlone(table, tagSettingsPut(table, full));
}

async function countedIn(spender: Spender, { name, value }: typeof lake): Promise<string> {
  const { daily } = windowsAt(Date.now());
  const counter = await readCounter(table, tagScope(spender.payer.accountId, tagText(name, value)));
  return `${counter.spent(daily)} of ${counter.committed(daily)}`;
}

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as GatewayError,
  );

async function secondKey({ payer, scopes }: Spender): Promise<Spender> {
  const other = await newSpender(table, {});
  const key = other.scopes.find(({ kind }) => kind === 'key')!;
  return {
    payer: { ...payer, keyHash: key.id },
    scopes: scopes.map((scope) => (scope.kind === 'key' ? key : scope)),
  };
}

describe('the budget of a tag', () => {
  it('admits exactly as many of 200 concurrent requests of two keys as it has room for', async () => {
    const spender = await newSpender(table, { workspace: { monthly: rub('1000') } });
    await setBudget(spender, {});
    const first = await tagged(spender, { [lake.name]: lake.value });
    const second = await tagged(spender, { [lake.name]: lake.value }, await secondKey(spender));
    const requests = Array.from({ length: 200 }, (_, index) => holdRequest(index % 2 ? first : second, rub('1')));

    const results = await Promise.allSettled(requests.map((request) => placeHold(table, request)));

    const passed = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? [settlement(requests[index]!, result.value.hold, rub('0.123456789012'))] : [],
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as GatewayError] : []));
    expect([passed.length, refused.length]).toEqual([33, 167]);
    expect(refused[0]).toMatchObject({
      status: 402,
      metadata: { limit_source: 'tag_budget', limit_tag: `project=${lake.value}`, limit_rub: '33.5' },
    });

    await settleBatch(table, passed, { swept: false });
    await settleBatch(table, passed, { swept: false });

    expect(await countedIn(spender, lake)).toBe('4.074074037396 of 4.074074037396');
    expect((await books(table, spender)).account.lifetime).toBe(await countedIn(spender, lake));
  });

  it('counts a request in all of its tags or in none', async () => {
    const spender = await newSpender(table, {});
    await setBudget(spender, { limit: rub('10') });
    await setBudget(spender, { ...core, limit: rub('1') });
    const both = await tagged(spender, { [lake.name]: lake.value, [core.name]: core.value });

    const error = await refusalOf(placeHold(table, holdRequest(both, rub('2'))));

    expect(error).toMatchObject({ metadata: { limit_source: 'tag_budget', limit_tag: 'team=core' } });
    expect([await countedIn(spender, lake), await countedIn(spender, core)]).toEqual(['0 of 0', '0 of 0']);
  });

  it('does not count requests with another value, or of another account', async () => {
    const [spender, other] = [await newSpender(table, {}), await newSpender(table, {})];
    await setBudget(spender, { limit: rub('0') });

    await placeHold(table, holdRequest(await tagged(spender, { [lake.name]: 'river' }), rub('2')));
    await placeHold(table, holdRequest(await tagged(other, { [lake.name]: lake.value }), rub('2')));

    const blocked = await tagged(spender, { [lake.name]: lake.value });
    expect(await refusalOf(placeHold(table, holdRequest(blocked, rub('0'))))).toMatchObject({ status: 402 });
  });

  it('keeps the counted amounts when it changes, and releases the holds of running requests when it is removed', async () => {
    const spender = await newSpender(table, {});
    await setBudget(spender, { limit: rub('5') });
    const request = holdRequest(await tagged(spender, { [lake.name]: lake.value }), rub('2'));
    const { hold } = await placeHold(table, request);
    await setBudget(spender, { limit: rub('3') });
    // The scopes of this request were read before the change.
    const late = holdRequest({ ...request.generation, scopes: request.scopes }, rub('2'));
    expect(await refusalOf(placeHold(table, late))).toMatchObject({ metadata: { limit_rub: '3', held_rub: '2' } });

    await setBudget(spender, { limit: null });
    await settleBatch(table, [settlement(request, hold, rub('1.5'))], { swept: false });

    expect(await countedIn(spender, lake)).toBe('1.5 of 1.5');
    const uncounted = await tagged(spender, { [lake.name]: lake.value });
    expect(uncounted.payer.countedTags).toBeUndefined();
    await setBudget(spender, { limit: rub('2') });
    const again = holdRequest(await tagged(spender, { [lake.name]: lake.value }), rub('1'));
    expect(await refusalOf(placeHold(table, again))).toMatchObject({ metadata: { spend_rub: '1.5' } });
    // An old caller cannot hold under the limits that it has read.
    expect(
      await refusalOf(placeHold(table, holdRequest({ ...late.generation, scopes: late.scopes }, rub('1')))),
    ).toMatchObject({ status: 402 });
  });

  it('has an order of periods, a version, and a maximum number of tags', async () => {
    const spender = await newSpender(table, {});
    const { version } = await setBudget(spender, { limit: rub('5') });
    expect(await refusalOf(setBudget(spender, { interval: 'weekly', limit: rub('4') }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('the weekly limit (4 RUB) must be above the daily limit (5 RUB)') as string,
    });
    expect(await refusalOf(setBudget(spender, { expectedVersion: version - 1, limit: rub('6') }))).toMatchObject({
      status: 412,
    });
    await fillUp(spender);
    expect(await refusalOf(setBudget(spender, { value: 'one too many' }))).toMatchObject({ status: 400 });
    await setBudget(spender, { value: 'v0', limit: null });
    await setBudget(spender, { value: 'one more' });
  });
});

describe('a settlement with counted tags', () => {
  it('passes through the queue, outside the body that the previous release reads', async () => {
    const spender = await newSpender(table, {});
    await setBudget(spender, {});
    const request = holdRequest(await tagged(spender, { [lake.name]: lake.value, other: randomUUID() }), rub('1'));
    const { hold } = await placeHold(table, request);

    const sent = encodeSettlement(settlement(request, hold, rub('0.5')));

    expect(sent.body).not.toMatch(/counted_tags|tag:project/);
    expect(readSettlement(sent)).toMatchObject({ payer: request.generation.payer, hold: { scopes: hold.scopes } });
  });
});
