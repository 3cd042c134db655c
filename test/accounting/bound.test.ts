import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withinBound } from '../../lambdas/accounting/bound.ts';
import { priceUpperBound, priceUsage, type UsageBound } from '../../lambdas/accounting/price.ts';
import { promptTokens, type TokenUsage } from '../../lambdas/accounting/usage.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { repeated } from '../support/long-runs.ts';

const tokens = fc.oneof(fc.nat(5_000), fc.constantFrom(0, 1e15, Number.MAX_SAFE_INTEGER));
const maybeTokens = fc.option(tokens, { nil: undefined });
const usage: fc.Arbitrary<TokenUsage> = fc.record({
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: maybeTokens,
  cacheWrite5mTokens: maybeTokens,
  cacheWrite1hTokens: maybeTokens,
  searchRequests: maybeTokens,
});
const bound: fc.Arbitrary<UsageBound> = fc.record({
  promptTokens: fc.nat(5_000),
  outputTokens: fc.nat(5_000),
  cacheWrites: fc.constantFrom('none', '5m', '1h'),
  pricedImages: fc.nat(3),
  searchRequests: fc.nat(2),
});
const price = fc.bigInt(0n, 10n ** 10n).map((pico) => Money.fromPico(pico));
const maybePrice = fc.option(price, { nil: undefined });
const pricing: fc.Arbitrary<Pricing> = fc.record({
  prompt: price,
  completion: price,
  input_cache_read: maybePrice,
  input_cache_write: maybePrice,
  input_cache_write_1h: maybePrice,
  image: maybePrice,
  request: maybePrice,
  web_search: maybePrice,
});

describe('usage reported by a provider', () => {
  it('never costs more than the upper bound of the request', () => {
    fc.assert(
      fc.property(usage, bound, pricing, (told, limits, prices) => {
        const { usage: charged } = withinBound(told, limits);
        return !priceUsage(charged, prices).total.exceeds(priceUpperBound(limits, prices));
      }),
      { numRuns: repeated(20_000, { ofWhichAlways: 1_500 }) },
    );
  });

  it('is unchanged if it stays within the bound', () => {
    const told: TokenUsage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 5, cacheWrite5mTokens: 2 };
    const limits: UsageBound = {
      promptTokens: 17,
      outputTokens: 20,
      cacheWrites: '5m',
      pricedImages: 0,
      searchRequests: 0,
    };
    expect(withinBound(told, limits)).toMatchObject({ usage: told, exceeded: false });
  });

  it('is cut to the bound and marked as exceeding it', () => {
    fc.assert(
      fc.property(usage, bound, (told, limits) => {
        const { usage: charged, exceeded } = withinBound(told, limits);
        const isBeyond =
          promptTokens(told) > limits.promptTokens ||
          told.outputTokens > limits.outputTokens ||
          (told.searchRequests ?? 0) > (limits.searchRequests ?? 0);
        if (isBeyond) expect(exceeded).toBe(true);
        expect(promptTokens(charged)).toBeLessThanOrEqual(limits.promptTokens);
        expect(charged.outputTokens).toBeLessThanOrEqual(limits.outputTokens);
        expect(charged.searchRequests ?? 0).toBeLessThanOrEqual(limits.searchRequests ?? 0);
      }),
    );
  });

  it('counts cache writes that the request did not request as plain prompt tokens', () => {
    const limits: UsageBound = {
      promptTokens: 100,
      outputTokens: 1,
      cacheWrites: 'none',
      pricedImages: 0,
      searchRequests: 0,
    };
    const { usage: charged, exceeded } = withinBound(
      { inputTokens: 1, outputTokens: 1, cacheWrite1hTokens: 30 },
      limits,
    );
    expect(charged).toMatchObject({ inputTokens: 31, cacheWrite1hTokens: undefined });
    expect(exceeded).toBe(false);
  });
});
