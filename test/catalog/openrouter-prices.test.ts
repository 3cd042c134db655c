/**
 * Prices of resold and open models that rose after the first import: OpenRouter by its list of 20 November 2026
 * (`@earendil-works/pi-ai` 1.6.0), DeepInfra by https://deepinfra.com/pricing, and a name of Mistral that now means
 * a more expensive model.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import { pricesAt, pricesInTime } from '../../lambdas/catalog/price-periods.ts';
import { modelsFileSchema } from '../../lambdas/catalog/schema.ts';

const folder = new URL('../../lambdas/catalog/data/models/', import.meta.url);
const endpoints = readdirSync(folder)
  .map((name) => modelsFileSchema.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))))
  .flatMap(({ models }) => models.flatMap((model) => model.endpoints));

function endOf(id: string): string | undefined {
  return endpoints.find((endpoint) => endpoint.id === id)?.pricing?.valid_until;
}

const usage = { inputTokens: 10_000, outputTokens: 1_000 };

describe('prices of resold and open models', () => {
  // Dollars per million tokens, times 99 roubles.
  it.each([
    ['openrouter/meta-llama/llama-3.3-70b-instruct', '0.77319'],
    ['openrouter/openai/gpt-oss-120b', '0.12474'],
    ['openrouter/qwen/qwen3-235b-a22b-2507', '0.2178'],
    ['openrouter/xiaomi/mimo-v2.5', '0.594'],
    ['openrouter/deepseek/deepseek-v4-pro', '1.0395'],
    ['deepinfra/meta-llama/llama-4-maverick', '0.2772'],
    ['deepinfra/z-ai/glm-4.6', '0.693'],
    ['mistral/mistralai/magistral-medium', '2.7225'],
  ])('%s costs what its provider charges', (id, cost) => {
    const { pricing: data } = endpoints.find((endpoint) => endpoint.id === id)!;
    const periods = pricesInTime(data, undefined);
    const { pricing } = pricesAt(
      { periods, pricing: undefined, serviceCost: undefined },
      Date.parse('2026-11-29T12:00:00Z'),
    );
    expect(priceUsage(usage, pricing!).total.toString()).toBe(cost);
  });
});

describe('announced ends', () => {
  // https://platform.claude.com/docs/en/about-claude/model-deprecations
  it('Claude Sonnet 4.5 has a price at Anthropic until it retires there', () => {
    expect(endOf('anthropic/anthropic/claude-sonnet-4.5')).toBe('2026-11-30T00:00:00Z');
    expect(endOf('amazon-bedrock/anthropic/claude-sonnet-4.5')).toBeUndefined();
  });

  // Microsoft's schedule by the list of LiteLLM 1.110.2. A model and its decider have one deployment.
  it.each([
    ['gpt-5-pro', '2027-04-07'],
    ['gpt-4o', '2027-04-14'],
    ['gpt-4.1-nano', '2027-04-14'],
    ['gpt-4.1-nano-decider', '2027-04-14'],
  ])('%s has a price at Azure until %s', (model, day) => {
    expect(endOf(`azure/openai/${model}`)).toBe(`${day}T00:00:00Z`);
  });
});
