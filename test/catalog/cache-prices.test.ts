/**
 * Prices of cached tokens in the shipped catalog. Cerebras charges them as any other input (inference-docs.cerebras.ai,
 * "Prompt caching"; anomalyco/models.dev#3229, 2026-07-13), Mistral a tenth (docs.mistral.ai, "Prompt caching"). Z.ai charges them also
 * at its models that see (vercel.com/ai-gateway/models/glm-4.5v/providers).
 */

import { describe, expect, it } from 'vitest';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import type { TokenUsage } from '../../lambdas/accounting/usage.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
const costOf = (id: string, usage: TokenUsage) =>
  priceUsage(usage, endpoints.find((endpoint) => endpoint.id === id)!.pricing!).total.toString();
const cached = { inputTokens: 2_000, cacheReadTokens: 8_000, outputTokens: 10 };
const cacheNames = ['input_cache_read', 'input_cache_write', 'input_cache_write_1h'] as const;

describe('tokens in a cache', () => {
  it.each([
    ['cerebras/openai/gpt-oss-120b', '0.3472425'],
    ['mistral/mistralai/mistral-large-4', '0.196119'],
    ['nebius/openai/gpt-oss-120b', '0.109494'],
    ['zai/z-ai/glm-4.6v', '0.099891'],
    ['zai/z-ai/glm-4.5v', '0.207702'],
  ])('of %s are charged: %s RUB', (id, rub) => {
    expect(costOf(id, cached)).toBe(rub);
  });

  it('of Z.ai cost as much as the prompt when they are written', () => {
    const usage = { inputTokens: 2_000, cacheWrite5mTokens: 8_000, outputTokens: 0 };

    expect(costOf('zai-anthropic/z-ai/glm-5.1', usage)).toBe('1.386');
  });

  it('are free only at GigaChat, which does not charge them', () => {
    const given = endpoints.filter(({ pricing }) =>
      [pricing!, ...(pricing?.overrides ?? [])].some(
        (level) => pricing?.prompt.isZero === false && cacheNames.some((name) => level[name]?.isZero),
      ),
    );

    expect(given.map(({ id }) => id)).toEqual([
      'gigachat/sber/gigachat-2',
      'gigachat/sber/gigachat-2-pro',
      'gigachat/sber/gigachat-2-max',
    ]);
  });

  it('have a price for each length of prompts if they have one for short ones', () => {
    const lacking = endpoints.filter(({ pricing }) =>
      pricing?.overrides?.some((level) => cacheNames.some((name) => pricing[name] && !level[name])),
    );

    expect(lacking.map(({ id }) => id)).toEqual([]);
  });
});
