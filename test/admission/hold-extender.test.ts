import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { priceUsage, type UsageBound } from '../../lambdas/accounting/price.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { HoldExtender } from '../../lambdas/admission/hold-extender.ts';
import type { HoldRequest } from '../../lambdas/admission/hold.ts';
import { planSpending, type Quote } from '../../lambdas/admission/spending-plan.ts';
import { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import {
  books,
  holdRequest,
  newSpender,
  placeHold,
  pricing,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { repeated } from '../support/long-runs.ts';
import { isEndedWithin } from '../support/in-time.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const STEP = 100;

function quote(more: Partial<UsageBound> = {}, hiddenReasoningTokens = 0): Quote {
  const bound: UsageBound = {
    promptTokens: 1_000,
    outputTokens: 50_000,
    cacheWrites: 'none',
    pricedImages: 0,
    searchRequests: 0,
    ...more,
  };
  return { pricing, bound, hiddenReasoningTokens, beyondMaxTokens: 0 };
}

/** Begins a stream, with a hold for its prompt and one step of output. */
async function begin(spender: Spender, of = quote()): Promise<{ extender: HoldExtender; request: HoldRequest }> {
  const request = holdRequest(spender, planSpending([of], STEP).amount);
  const placed = await placeHold(table, request);
  return { extender: new HoldExtender({ table, request, placed, stepTokens: STEP, quote: of }), request };
}

const limited = (limit: string) => newSpender(table, { key: { daily: rub(limit) } });
const heldBy = async (spender: Spender) => (await books(table, spender)).key.lifetime;

describe('a stream within its hold', () => {
  it('releases the unused part of the hold for its prompt after the provider has counted it', async () => {
    const spender = await limited('10');
    const { extender } = await begin(spender);
    expect(await heldBy(spender)).toBe('0 of 1.2');

    extender.promptCounted({ inputTokens: 50, outputTokens: 0 });

    await extender.settled();
    // The hold covers 50 tokens of the prompt and the first step of output.
    expect(await heldBy(spender)).toBe('0 of 0.25');
  });

  it('keeps the part that pays for the answer so far, however late the prompt is counted', async () => {
    const spender = await limited('10');
    const { extender } = await begin(spender);
    await extender.cover(900);
    await extender.settled();

    extender.promptCounted({ inputTokens: 50, outputTokens: 0 }, { writtenBytes: 900, releasesUnused: true });

    const { hold } = await extender.settled();
    // The hold covers 50 tokens of the prompt and 900 of output.
    expect(rub('1.85').exceeds(hold.amount)).toBe(false);
  });

  it('sends no transaction to release an insignificant amount', async () => {
    const spender = await limited('1000');
    const { extender } = await begin(spender);
    extender.promptCounted({ inputTokens: 50, outputTokens: 0 });
    expect((await extender.settled()).hold.steps).toBe(1);
  });

  it('is extended in doubling steps, so that a long answer needs few transactions', async () => {
    const spender = await limited('1000');
    const { extender } = await begin(spender);

    for (let bytes = 0; bytes <= 20_000; bytes += 50) await extender.cover(bytes);

    const { hold } = await extender.settled();
    expect(hold.steps).toBeLessThan(14);
    expect(hold.amount.exceeds(rub('40'))).toBe(true);
  });

  it('ends if its scope has no room, and is charged at most its hold', async () => {
    const spender = await limited('1.5');
    const { extender, request } = await begin(spender);

    const refusal = await extender.cover(10_000);

    expect(refusal).toMatchObject({ kind: 'payment_required' });
    expect(extender.coveredBytes).toBe(250);
    const charged = await extender.chargeable(rub('9'));
    expect(charged.toString()).toBe('1.5');
    const { hold } = await extender.settled();
    await settleBatch(table, [settlement(request, hold, charged)], { swept: false });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('1.5'));
  });

  it('is extended at its end if the whole answer cost more, and there is room', async () => {
    const spender = await limited('10');
    const { extender } = await begin(spender);
    expect((await extender.chargeable(rub('3'))).toString()).toBe('3');
    expect(await heldBy(spender)).toBe('0 of 3');
  });

  it('is extended at its end by as much as there is room for, if the whole answer cost more', async () => {
    const spender = await limited('2.75');
    const { extender, request } = await begin(spender);
    const charged = await extender.chargeable(rub('3'));
    expect(charged.toString()).toBe('2.75');

    const { hold } = await extender.settled();
    await settleBatch(table, [settlement(request, hold, charged)], { swept: false });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('2.75'));
  });

  it('waits a moment for amounts that other requests release', async () => {
    const spender = await limited('2.5');
    const { extender } = await begin(spender);
    const other = holdRequest(spender, rub('1.2'));
    const { hold } = await placeHold(table, other);

    const covering = extender.cover(400);
    await settleBatch(table, [settlement(other, hold, rub('0.1'))], { swept: false });

    expect(await covering).toBeUndefined();
  });

  it('is not extended without a limited scope', async () => {
    const spender = await newSpender(table, {});
    const { extender } = await begin(spender);
    expect(extender.cover(1_000_000)).toBeUndefined();
    expect((await extender.chargeable(rub('500'))).toString()).toBe('500');
  });

  it('is not extended if all of its output is held from the start', async () => {
    const spender = await limited('1000');
    const { extender } = await begin(spender, quote({ outputTokens: 2_000 }, 2_000));
    expect(extender.cover(100_000)).toBeUndefined();
    expect((await extender.settled()).hold.steps).toBe(1);
  });
});

describe('a stream without remaining money', () => {
  it('does not wait for amounts that only itself holds', async () => {
    const { extender } = await begin(await limited('2'));
    const covering = Promise.resolve(extender.cover(3_000));

    expect(await isEndedWithin(1_000, covering)).toBe(true);
    expect(await covering).toMatchObject({ kind: 'payment_required' });
  });
});

describe('many streams on one budget', () => {
  it('never hold or spend more than the budget, for any outputs and reports', async () => {
    const stream = fc.record({
      told: fc.nat(1_200),
      writes: fc.array(fc.nat(600), { maxLength: 6 }),
      outputTold: fc.oneof(fc.nat(4_000), fc.constant(10 ** 12)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(stream, { minLength: 1, maxLength: 6 }), async (streams) => {
        const limit = rub('4');
        const spender = await limited('4');
        const scope = spender.scopes.find(({ kind }) => kind === 'key')!;
        const window = windowsAt(Date.now()).daily;
        const expectWithin = async () => {
          const counter = await readCounter(table, scope);
          expect(counter.committed(window).exceeds(limit)).toBe(false);
          expect(counter.spent(window).exceeds(limit)).toBe(false);
        };
        const costs = await Promise.all(
          streams.map(async ({ told, writes, outputTold }) => {
            const begun = await begin(spender).catch(() => undefined);
            if (!begun) return Money.zero;
            const { extender, request } = begun;
            extender.promptCounted({ inputTokens: Math.min(told, 1_000), outputTokens: 0 });
            let bytes = 0;
            for (const write of writes) {
              bytes += write;
              if (await extender.cover(bytes)) break;
              await expectWithin();
            }
            const usage = { inputTokens: Math.min(told, 1_000), outputTokens: Math.min(outputTold, 50_000) };
            const cost = await extender.chargeable(priceUsage(usage, pricing).total);
            const { hold } = await extender.settled();
            expect(cost.exceeds(hold.amount)).toBe(false);
            await settleBatch(table, [settlement(request, hold, cost)], { swept: false });
            await expectWithin();
            return cost;
          }),
        );
        const total = Money.sum(costs).toString();
        expect((await books(table, spender)).key).toEqual(settledEverywhere(total));
      }),
      { numRuns: repeated(8, { ofWhichAlways: 4 }) },
    );
  }, 180_000);
});
