import { beforeAll, describe, expect, it } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { UnknownGenerationError } from '../../lambdas/accounting/settle-group.ts';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { encodeSettlement } from '../../lambdas/accounting/settlement.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, windowsAt } from '../../lambdas/money/periods.ts';
import { counterKey, pruneCounter, readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import { readItem } from '../../lambdas/store/table/query.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import {
  books,
  extendHold,
  finalCosts,
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

const limited = () => newSpender(table, { key: { daily: rub('100') }, member: { monthly: rub('1000') } });

async function held(spender: Spender, amount = '2') {
  const request = holdRequest(spender, rub(amount));
  const { hold } = await placeHold(table, request);
  return { request, hold };
}

async function stored(spender: Spender, id: string) {
  return (await readGeneration(table, spender.payer.accountId, id))!;
}

describe('a settlement', () => {
  it('is added to every scope and window of the payer, and releases the hold', async () => {
    const spender = await limited();
    const { request, hold } = await held(spender);

    const results = await settleBatch(table, [settlement(request, hold, rub('0.7'))], { swept: false });

    expect(results).toEqual(['settled']);
    const all = await books(table, spender);
    for (const scope of ['key', 'workspace', 'member', 'account'] as const) {
      expect(all[scope]).toEqual(settledEverywhere('0.7'));
    }
    expect(await stored(spender, request.generation.id)).toMatchObject({ state: 'final', swept: false });
  });

  it('changes nothing if every message is delivered twice and out of order', async () => {
    const spender = await limited();
    const messages = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { request, hold } = await held(spender, '1');
        return settlement(request, hold, rub(`0.${index + 1}`));
      }),
    );
    const doubled = [...messages, ...messages.toReversed(), messages[5]!, messages[5]!];

    for (let start = 0; start < doubled.length; start += 5) {
      await settleBatch(table, doubled.slice(start, start + 5), { swept: false });
    }

    const expected = Money.sum(messages.map((message) => message.outcome.cost)).toString();
    expect((await books(table, spender)).key).toEqual(settledEverywhere(expected));
    expect((await finalCosts(table, spender)).toString()).toBe(expected);
  });

  it('does not recreate a removed window if it is days late', async () => {
    const spender = await newSpender(table, {});
    const atMs = Date.now() - 5 * DAY_MS;
    const late = holdRequest(spender, rub('1'), { atMs });
    const later = holdRequest(spender, rub('1'), { atMs });
    const holds = [await placeHold(table, late), await placeHold(table, later)];
    await settleBatch(table, [settlement(late, holds[0]!.hold, rub('1'))], { swept: false });
    for (const scope of spender.scopes) await pruneCounter(table, scope, Date.now());

    await settleBatch(table, [settlement(later, holds[1]!.hold, rub('1'))], { swept: false });

    const { daily, lifetime } = windowsAt(atMs);
    const counter = await readCounter(table, spender.scopes[0]!);
    expect([counter.spent(daily).toString(), counter.spent(lifetime).toString()]).toEqual(['0', '2']);
  });

  it('is applied once if two workers get the same batch concurrently', async () => {
    const spender = await limited();
    const batch = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { request, hold } = await held(spender, '1');
        return settlement(request, hold, rub('0.5'));
      }),
    );

    await Promise.all([1, 2, 3].map(() => settleBatch(table, batch, { swept: false })));

    expect((await books(table, spender)).key).toEqual(settledEverywhere('4'));
  });

  it('takes the hold from the record if the message has no extension of it', async () => {
    const spender = await limited();
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);
    await extendHold(table, placed, request);

    await settleBatch(table, [settlement(request, placed.hold, rub('1.5'))], { swept: false });

    expect((await books(table, spender)).key).toEqual(settledEverywhere('1.5'));
  });

  it('charges the windows of admission, also after midnight and the end of the month', async () => {
    const spender = await limited();
    const lastMoment = Date.UTC(2026, 9, 31, 23, 59, 59, 999);
    const request = holdRequest(spender, rub('1'), { atMs: lastMoment });
    const { hold } = await placeHold(table, request);

    await settleBatch(table, [settlement(request, hold, rub('0.4'))], { swept: false });

    const counter = await readCounter(table, spender.scopes[0]!);
    expect(counter.spent('day_2026-10-31').toString()).toBe('0.4');
    expect(counter.spent('month_2026-10').toString()).toBe('0.4');
    expect(counter.spent(windowsAt(lastMoment + 1).daily).toString()).toBe('0');
  });

  it('without a record is reported as an error, and the rest of its batch is settled', async () => {
    const spender = await limited();
    const { request, hold } = await held(spender);
    const stranger = settlement(holdRequest(spender, rub('1')), hold, rub('1'));

    const results = await settleBatch(table, [stranger, settlement(request, hold, rub('0.5'))], { swept: false });

    expect(results[0]).toBeInstanceOf(UnknownGenerationError);
    expect(results[1]).toBe('settled');
  });

  it('is unchanged after it is encoded as text and read again', async () => {
    const spender = await limited();
    const { request, hold } = await held(spender);
    const original = settlement(request, hold, rub('0.000000000001'));
    expect(readSettlement(encodeSettlement(original))).toEqual(original);
  });

  it('removes windows that ended two days ago, and keeps the others', async () => {
    const spender = await limited();
    const longAgo = Date.UTC(2026, 0, 31, 12);
    const request = holdRequest(spender, rub('1'), { atMs: longAgo });
    const { hold } = await placeHold(table, request);
    await settleBatch(table, [settlement(request, hold, rub('0.4'))], { swept: false });

    const removed = await pruneCounter(table, spender.scopes[0]!, Date.UTC(2026, 1, 2, 12));

    const counter = await readCounter(table, spender.scopes[0]!);
    expect(removed).toBe(0);
    expect(await pruneCounter(table, spender.scopes[0]!, Date.UTC(2026, 1, 4, 1))).toBe(3);
    expect(counter.spent('day_2026-01-31').toString()).toBe('0.4');
    expect((await readCounter(table, spender.scopes[0]!)).spent('lifetime').toString()).toBe('0.4');
  });

  it('removes ended windows also if nothing was ever spent', async () => {
    const spender = await limited();
    const request = holdRequest(spender, rub('1'), { atMs: Date.UTC(2026, 0, 31, 12) });
    const { hold } = await placeHold(table, request);
    await settleBatch(table, [settlement(request, hold, Money.zero)], { swept: false });

    await pruneCounter(table, spender.scopes[0]!, Date.UTC(2027, 1, 4, 1));

    expect(await windowsOf(spender.scopes[0]!)).toEqual(['committed_lifetime']);
  });
});

async function windowsOf(scope: ScopeId): Promise<string[]> {
  const item = (await readItem(table, counterKey(scope))) ?? {};
  return Object.keys(item)
    .filter((name) => /^(spent|committed)_/.test(name))
    .toSorted();
}

const later = () => Date.now() + 3_600_000;

describe('a generation that the sweep has settled from an estimate', () => {
  it('is corrected exactly once by its real message', async () => {
    const spender = await limited();
    const { request, hold } = await held(spender);
    await sweepHolds(table, { nowMs: later(), backlog: 'none' });
    const real = settlement(request, hold, rub('0.75'));

    const first = await settleBatch(table, [real], { swept: false });
    const second = await settleBatch(table, [real, real], { swept: false });

    expect(first).toEqual(['corrected']);
    expect(second).toEqual(['duplicate', 'duplicate']);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.75'));
    expect((await finalCosts(table, spender)).toString()).toBe('0.75');
  });

  it('gets an entry with the old amount, the new amount and the reason', async () => {
    const spender = await limited();
    const { request, hold } = await held(spender);
    await sweepHolds(table, { nowMs: later(), backlog: 'none' });
    await settleBatch(table, [settlement(request, hold, rub('0.75'))], { swept: false });

    const { pk, sk } = generationKey(spender.payer.accountId, request.generation.id);
    expect(await readItem(table, { pk, sk: `${sk}#CORRECTION` })).toMatchObject({
      entity: 'correction',
      account_id: spender.payer.accountId,
      generation_id: request.generation.id,
      cause: 'late_settlement',
      correction_rub: '0.65',
      before: { total_cost_rub: '0.1', tokens_prompt: '100', tokens_completion: '0', estimated: true },
      after: { total_cost_rub: '0.75', tokens_prompt: '10', tokens_completion: '20', estimated: false },
    });
  });

  it('does not recreate removed windows if its message is days late', async () => {
    const spender = await limited();
    const request = holdRequest(spender, rub('1'), { atMs: Date.UTC(2026, 0, 31, 12) });
    const { hold } = await placeHold(table, request);
    await sweepHolds(table, { nowMs: later(), backlog: 'none' });
    await pruneCounter(table, spender.scopes[0]!, Date.UTC(2027, 1, 4, 1));

    expect(await settleBatch(table, [settlement(request, hold, rub('0.04'))], { swept: false })).toEqual(['corrected']);

    expect(await windowsOf(spender.scopes[0]!)).toEqual(['committed_lifetime', 'spent_lifetime']);
    expect((await readCounter(table, spender.scopes[0]!)).spent('lifetime').toString()).toBe('0.04');
  });
});
