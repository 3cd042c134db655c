import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  affordableOutputTokens,
  priceUpperBound,
  priceUsage,
  type UsageBound,
} from '../../lambdas/accounting/price.ts';
import { promptTokens, type TokenUsage } from '../../lambdas/accounting/usage.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { rub } from '../support/spending.ts';

const price = fc.bigInt(0n, 10n ** 10n).map((pico) => Money.fromPico(pico));
const maybe = (value: typeof price) => fc.option(value, { nil: undefined });
const unitPrices = {
  prompt: price,
  completion: price,
  input_cache_read: maybe(price),
  input_cache_write: maybe(price),
  input_cache_write_1h: maybe(price),
  internal_reasoning: maybe(price),
  thinking_completion: maybe(price),
};
const tier = fc.record({ ...unitPrices, min_prompt_tokens: fc.integer({ min: 1, max: 5_000 }) });
const pricing = fc.record({
  ...unitPrices,
  request: maybe(price),
  overrides: fc.option(fc.array(tier, { minLength: 1, maxLength: 3 }), { nil: undefined }),
}) as fc.Arbitrary<Pricing>;
const tokens = fc.nat(4_000);
const usage = fc
  .record({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWrite5mTokens: tokens,
    cacheWrite1hTokens: tokens,
    reasoningTokens: tokens,
  })
  .map((all): TokenUsage => ({ ...all, reasoningTokens: Math.min(all.reasoningTokens, all.outputTokens) }));

describe('the price of a usage', () => {
  it('is the sum of all units at their own prices', () => {
    const cost = priceUsage(
      { inputTokens: 1000, outputTokens: 500, cacheReadTokens: 2000, cacheWrite5mTokens: 100, cacheWrite1hTokens: 10 },
      {
        prompt: rub('0.003'),
        completion: rub('0.015'),
        input_cache_read: rub('0.0003'),
        input_cache_write: rub('0.00375'),
        input_cache_write_1h: rub('0.006'),
        request: rub('1'),
      },
    );
    expect(cost.total.toString()).toBe('12.535');
    expect(cost.cacheSaved.toString()).toBe('5.295');
  });

  it('uses the prices of the tier that the whole prompt reaches', () => {
    const tiered: Pricing = {
      prompt: rub('1'),
      completion: rub('1'),
      overrides: [{ min_prompt_tokens: 100, prompt: rub('2') }],
    };
    const of = (inputTokens: number) => priceUsage({ inputTokens, outputTokens: 1 }, tiered).total.toString();
    expect([of(100), of(101)]).toEqual(['101', '203']);
  });

  it('never exceeds the upper bound for the same tokens', () => {
    fc.assert(
      fc.property(usage, pricing, fc.nat(1_000), (used, prices, slack) => {
        const bound: UsageBound = {
          promptTokens: promptTokens(used) + slack,
          outputTokens: used.outputTokens + slack,
          cacheWrites: '1h',
          pricedImages: used.pricedImages ?? 0,
          searchRequests: used.searchRequests ?? 0,
        };
        return !priceUsage(used, prices).total.exceeds(priceUpperBound(bound, prices));
      }),
    );
  });

  it('allows as many output tokens as an amount pays for, and not one more', () => {
    fc.assert(
      fc.property(pricing, tokens, fc.bigInt(0n, 10n ** 15n), (prices, prompt, pico) => {
        const amount = Money.fromPico(pico);
        const bound: UsageBound = {
          promptTokens: prompt,
          outputTokens: 0,
          cacheWrites: 'none',
          pricedImages: 0,
          searchRequests: 0,
        };
        const count = affordableOutputTokens(amount, bound, prices);
        const costOf = (outputTokens: number) => priceUpperBound({ ...bound, outputTokens }, prices);
        if (count === Number.MAX_SAFE_INTEGER) return;
        if (count > 0) expect(costOf(count).exceeds(amount)).toBe(false);
        expect(costOf(count + 1).exceeds(amount)).toBe(true);
      }),
    );
  });
});
