import { beforeAll, describe, expect, it } from 'vitest';
import { shrinkHold } from '../../lambdas/admission/hold.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { activeUpdate, configureUpdate, type OwnerKind } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { StoreBusyError, transact } from '../../lambdas/store/table/transact.ts';
import {
  books,
  extendHold,
  holdRequest,
  newSpender,
  placeHold,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as GatewayError,
  );

async function spend(spender: Spender, amount: string): Promise<void> {
  const request = holdRequest(spender, rub(amount));
  const { hold } = await placeHold(table, request);
  await settleBatch(table, [settlement(request, hold, rub(amount))], { swept: false });
}

describe('a hold', () => {
  it('is admitted for exactly as many of 200 concurrent requests as there is room for', async () => {
    const spender = await newSpender(table, { key: { daily: rub('33.5') }, workspace: { monthly: rub('1000') } });
    const requests = Array.from({ length: 200 }, () => holdRequest(spender, rub('1')));

    const results = await Promise.allSettled(requests.map((request) => placeHold(table, request)));

    const passed = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? [settlement(requests[index]!, result.value.hold, rub('0.123456789012'))] : [],
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as GatewayError] : []));
    expect(passed).toHaveLength(33);
    expect(refused).toHaveLength(167);
    expect(refused.every((error) => error.status === 402)).toBe(true);
    expect(refused[0]!.metadata).toMatchObject({
      limit_source: 'key_limit',
      interval: 'daily',
      limit_rub: '33.5',
      required_rub: '1',
    });

    await settleBatch(table, passed, { swept: false });

    const settled = await books(table, spender);
    expect(settled.key).toEqual(settledEverywhere('4.074074037396'));
    expect(settled.account).toEqual(settled.key);
  });

  it('is counted in all limited scopes or in none', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') }, member: { lifetime: rub('1') } });

    const error = await refusalOf(placeHold(table, holdRequest(spender, rub('2'))));

    expect(error).toMatchObject({ status: 402, metadata: { limit_source: 'member_budget', interval: 'lifetime' } });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });

  it.each<[string, string, string, OwnerKind[]]>([
    ['are smaller than the amount', '0.7', '0.5', []],
    ['are smaller than the amount, or nearly spent', '0.7', '4.5', ['member']],
    ['are nearly spent', '4.7', '4.5', ['key', 'member']],
  ])('is refused by the limit with the least room, if the limits %s', async (_, key, member, spent) => {
    const spender = await newSpender(table, { key: { lifetime: rub(key) }, member: { weekly: rub(member) } });
    const scopes = spender.scopes.filter(({ kind }) => spent.some((one) => one === kind));
    // Settlement counts the amount at another key, if only the member has spent it.
    const payer = { ...spender.payer, ...(spent.includes('key') ? {} : { keyHash: 'another' }) };
    if (scopes.length > 0) await spend({ payer, scopes }, '4');

    const error = await refusalOf(placeHold(table, holdRequest(spender, rub('1'))));

    expect(error).toMatchObject({ status: 402, metadata: { limit_source: 'member_budget', remaining_rub: '0.5' } });
  });

  it.each<[string, string, string]>([
    ['is smaller than the amount', '0.7', '0'],
    ['is nearly spent', '4.7', '4'],
  ])('is refused by a limit that %s, before a limit with less room next to holds', async (_, key, spent) => {
    const spender = await newSpender(table, { key: { lifetime: rub(key) }, member: { weekly: rub('9.5') } });
    await spend(spender, spent);
    const scopes = spender.scopes.filter(({ kind }) => kind === 'member');
    await placeHold(table, holdRequest({ ...spender, scopes }, rub('9').minus(rub(spent))));

    const error = await refusalOf(placeHold(table, holdRequest(spender, rub('1'))));

    expect(error).toMatchObject({ status: 402, metadata: { limit_source: 'key_limit', remaining_rub: '0.7' } });
    expect(error!.headers).not.toHaveProperty('x-should-retry');
  });

  it('is refused by a limit that is smaller than the amount, even if another counter cannot be read', async () => {
    const spender = await newSpender(table, { key: { lifetime: rub('0.7') }, member: { weekly: rub('0.5') } });
    const failing: Table = {
      ...table,
      call: (...call) =>
        JSON.stringify(call).includes('COUNTER#member') ? Promise.reject(new StoreBusyError()) : table.call(...call),
    };

    const error = await refusalOf(placeHold(failing, holdRequest(spender, rub('1'))));

    expect(error).toMatchObject({ status: 402, metadata: { limit_source: 'key_limit' } });
  });

  it('takes the remaining amount to the last digit', async () => {
    const spender = await newSpender(table, { key: { lifetime: rub('1.000000000001') } });
    await placeHold(table, holdRequest(spender, rub('1')));

    await placeHold(table, holdRequest(spender, rub('0.000000000001')));

    const error = await refusalOf(placeHold(table, holdRequest(spender, rub('0.000000000001'))));
    expect(error).toMatchObject({
      status: 402,
      metadata: { remaining_rub: '0', held_rub: '1.000000000001' },
      headers: { 'retry-after': '3' },
    });
  });

  it('is refused by a limit of 0, even if it costs nothing', async () => {
    const spender = await newSpender(table, { key: { daily: rub('0') } });
    expect(await refusalOf(placeHold(table, holdRequest(spender, rub('0'))))).toMatchObject({ status: 402 });
  });

  it('respects a limit that was raised or lowered since the caller was read', async () => {
    const spender = await newSpender(table, { workspace: { daily: rub('1') } });
    const workspace = spender.scopes.find(({ kind }) => kind === 'workspace')!;
    const change = { limits: { daily: rub('5') }, revision: 1 };
    await transact(table, { counter: configureUpdate(table, workspace, change) });
    await placeHold(table, holdRequest(spender, rub('4')));

    const error = await refusalOf(placeHold(table, holdRequest(spender, rub('2'))));

    expect(error).toMatchObject({ metadata: { limit_rub: '5', remaining_rub: '1' } });
  });

  it.each(['3', '0'])(
    'is refused by a limit that was just lowered to %s, before anything is counted',
    async (lowered) => {
      const spender = await newSpender(table, { key: { daily: rub('10') } });
      const change = { limits: { daily: rub(lowered) }, revision: 1 };
      await transact(table, { counter: configureUpdate(table, spender.scopes[0]!, change) });

      const error = await refusalOf(placeHold(table, holdRequest(spender, rub('4'))));

      expect(error).toMatchObject({ status: 402, metadata: { limit_rub: lowered } });
      expect((await books(table, spender)).key.lifetime).toBe('0 of 0');
    },
  );

  it('is refused with 401 after a limited scope was disabled', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    await transact(table, { counter: activeUpdate(table, spender.scopes[0]!, false) });
    expect(await refusalOf(placeHold(table, holdRequest(spender, rub('1'))))).toMatchObject({ status: 401 });
  });

  it('writes no counter without a limited scope', async () => {
    const spender = await newSpender(table, {});
    const placed = await placeHold(table, holdRequest(spender, rub('1000000')));
    expect(placed.hold.scopes).toEqual([]);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });
});

describe('an extension of a hold', () => {
  it('adds a step under the same conditions, until there is no room', async () => {
    const spender = await newSpender(table, { key: { daily: rub('2.5') } });
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);

    const second = await extendHold(table, placed, request);
    const third = await refusalOf(extendHold(table, second, request));

    expect(second).toMatchObject({ hold: { steps: 2 } });
    expect(third).toMatchObject({ status: 402 });
    expect((await books(table, spender)).key.lifetime).toBe('0 of 2');
  });

  it('is refused by the limit with the least room next to holds, so that the answer can use this room', async () => {
    const spender = await newSpender(table, { key: { lifetime: rub('5.7') }, member: { weekly: rub('9.5') } });
    await spend(spender, '4');
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);
    const scopes = spender.scopes.filter(({ kind }) => kind === 'member');
    await placeHold(table, holdRequest({ ...spender, scopes }, rub('4')));

    const error = await refusalOf(extendHold(table, placed, { ...request, amount: rub('2') }));

    expect(error).toMatchObject({ metadata: { limit_source: 'member_budget', remaining_rub: '0.5' } });
  });

  it('is applied once if its first reply was lost', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);

    await extendHold(table, placed, request);
    const again = await extendHold(table, placed, request);

    expect(again).toMatchObject({ hold: { steps: 2 } });
    expect((await books(table, spender)).key.lifetime).toBe('0 of 2');
  });

  it('reads the amount of a step with a lost reply from the record, whatever amount is requested now', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);
    await extendHold(table, placed, { ...request, amount: rub('0.3') });

    const again = await extendHold(table, placed, { ...request, amount: rub('4') });

    expect(again.hold).toMatchObject({ steps: 2, amount: rub('1.3') });
    expect((await books(table, spender)).key.lifetime).toBe('0 of 1.3');
  });

  it('is refused after the generation is settled', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);
    await settleBatch(table, [settlement(request, placed.hold, rub('0.5'))], { swept: false });

    expect(await refusalOf(extendHold(table, placed, request))).toMatchObject({ status: 504 });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.5'));
  });
});

describe('a partial release of a hold', () => {
  it('makes room for others at once, in every scope, and the settlement includes it', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') }, member: { weekly: rub('20') } });
    const request = holdRequest(spender, rub('8'));
    const placed = await placeHold(table, request);

    const shrunk = await shrinkHold(table, placed, { ...request, amount: rub('7') });

    expect(shrunk).toMatchObject({ placed: { hold: { steps: 2, amount: rub('1') } } });
    expect((await books(table, spender)).member.lifetime).toBe('0 of 1');
    await placeHold(table, holdRequest(spender, rub('9')));
    await settleBatch(table, [settlement(request, placed.hold, rub('0.5'))], { swept: false });
    expect((await books(table, spender)).key.lifetime).toBe('0.5 of 9.5');
  });
});
