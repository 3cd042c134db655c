/**
 * Alibaba's prices by the length of the prompt, which price lists omit. Sources: its price page as quoted in
 * theopenco/llmgateway#3583 and #3622 (2026-08-15), and LiteLLM 1.110.2. Implicit caches cost 20 % of the prompt's
 * price (alibabacloud.com, "Context Cache", 2026-06-24); 5 % at Qwen4 Max (docs.apiyi.com/en/news/qwen4-max-launch).
 */

import { describe, expect, it } from 'vitest';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import type { TokenUsage } from '../../lambdas/accounting/usage.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const endpoints = loadShippedCatalog()
  .models.flatMap((model) => model.endpoints)
  .filter(({ provider }) => provider.id === 'alibaba');
const costOf = (model: string, usage: TokenUsage) =>
  priceUsage(usage, endpoints.find(({ upstreamModel }) => upstreamModel === model)!.pricing!).total.toString();

describe('a model of Alibaba', () => {
  it.each([
    ['qwen3-coder-flash', 32_000, '1.0989'],
    ['qwen3-coder-flash', 100_000, '5.1975'],
    ['qwen3-coder-flash', 300_000, '48.4704'],
    ['qwen-plus', 300_000, '35.9964'],
    ['qwen-flash', 300_000, '7.623'],
    ['qwen3.5-plus', 300_000, '15.147'],
    ['qwen3-vl-plus', 200_000, '12.3552'],
    ['qwen3.6-flash', 300_000, '30.096'],
    ['qwen3.7-max', 300_000, '74.9925'],
  ])('charges %s with %i tokens and 1,000 of output by the length of the prompt', (model, inputTokens, rub) => {
    expect(costOf(model, { inputTokens, outputTokens: 1_000 })).toBe(rub);
  });

  it.each([
    [0, '0.1584'],
    [700, '0.4356'],
  ])('charges the whole answer as thinking if it has any reasoning: %i tokens', (reasoningTokens, rub) => {
    // With thinking, all tokens of the answer have the higher price, both reasoning and text.
    expect(costOf('qwen-plus', { inputTokens: 1_000, outputTokens: 1_000, reasoningTokens })).toBe(rub);
  });

  it('includes cached tokens in the tier', () => {
    const usage = { inputTokens: 10_000, cacheReadTokens: 290_000, outputTokens: 0 };
    expect(costOf('qwen3-coder-flash', usage)).toBe('10.7712');
  });

  it('has a fifth of the prompt price for reads from its implicit cache, but Qwen4 Max a twentieth', () => {
    expect(costOf('qwen3.7-plus', { inputTokens: 2_000, cacheReadTokens: 8_000, outputTokens: 10 })).toBe('0.18117');
    const other = endpoints.flatMap(({ id, pricing }) => {
      const levels = [pricing!, ...(pricing?.overrides ?? [])];
      const isFifth = levels.every((level) => level.input_cache_read?.times(5).equals(level.prompt!) ?? true);
      return isFifth ? [] : [id];
    });
    expect(other).toEqual(['alibaba/qwen/qwen4-max']);
    expect(costOf('qwen4-max', { inputTokens: 0, cacheReadTokens: 8_000, outputTokens: 10 })).toBe('0.063855');
  });
});
