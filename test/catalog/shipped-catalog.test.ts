import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { pricesAt } from '../../lambdas/catalog/price-periods.ts';
import type { UnitPrices } from '../../lambdas/catalog/tiers.ts';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const { models } = loadShippedCatalog();
const textModels = models.filter(({ data, aliasOf }) => data.output_modalities.includes('text') && !aliasOf);
const realTextModels = textModels.filter(({ id }) => !id.startsWith('sandbox/'));
const find = (id: string): Model => models.find((model) => model.id === id)!;
const only = (id: string): Endpoint => find(id).endpoints[0]!;

describe('thinking by default', () => {
  const thinking = textModels
    .filter(({ endpoints }) => endpoints.some(({ quirks }) => (quirks as AnthropicQuirks).thinks_by_default))
    .map(({ id }) => id);

  it('is marked on each model that has it', () => {
    expect(thinking.toSorted()).toEqual([
      'anthropic/claude-fable-5',
      'anthropic/claude-fable-5.1',
      'anthropic/claude-fable-5.2',
      'anthropic/claude-haiku-5.5',
      'anthropic/claude-opus-5',
      'anthropic/claude-opus-5.5',
      'anthropic/claude-sonnet-5',
      'anthropic/claude-sonnet-5.5',
      'deepseek/deepseek-v4-flash',
      'deepseek/deepseek-v4-pro',
      'google/gemini-2.5-flash',
      'google/gemini-2.5-pro',
      'google/gemini-3-flash-preview',
      'google/gemini-3.1-flash-lite',
      'google/gemini-3.1-pro-preview',
      'google/gemini-3.1-pro-preview-customtools',
      'google/gemini-3.5-flash-lite',
      'google/gemini-3.6-flash',
      'google/gemini-3.8-flash',
      'google/gemini-4-argon',
      'google/gemini-4-carbon',
      'google/gemini-4-hydrogen',
      'google/gemini-4-neon',
      'minimax/minimax-m2.7',
      'minimax/minimax-m2.7-highspeed',
      'minimax/minimax-m3',
      'minimax/minimax-m3.1-flash',
      'moonshotai/kimi-k2.6',
      'sandbox/thinker',
      'z-ai/glm-4.7',
      'z-ai/glm-5.1',
      'z-ai/glm-5.2',
    ]);
  });
});

describe('other prices than token prices', () => {
  it('include no fee per request on real text models', () => {
    const priced = realTextModels.filter(({ endpoints }) => endpoints.some(({ pricing }) => pricing?.request));
    expect(priced.map(({ id }) => id)).toEqual([]);
  });

  it('include no image price on real text models', () => {
    const priced = realTextModels.filter(({ endpoints }) => endpoints.some(({ pricing }) => pricing?.image));
    expect(priced.map(({ id }) => id)).toEqual([]);
  });

  it('include the same search price on every text model with a price', () => {
    const endpoints = textModels.filter(({ data }) => !data.service_free).flatMap((model) => model.endpoints);
    const priced = endpoints.filter(({ pricing, data }) => pricing && !data.image);
    const prices = priced.map(({ pricing }) => pricing?.web_search?.toString());
    expect(new Set(prices)).toEqual(new Set(['0.99']));
  });

  it('include the search price of a free model as service cost, not as a price for the client', () => {
    const endpoints = textModels.filter(({ data }) => data.service_free).flatMap((model) => model.endpoints);
    const prices = endpoints.map(({ pricing, serviceCost }) =>
      [pricing, serviceCost].map((one) => String(one?.web_search)),
    );
    expect(new Set(prices.map(String))).toEqual(new Set(['0,0.99']));
  });

  it('are present on a sandbox model for experiments', () => {
    const { pricing } = only('sandbox/priced');
    expect([pricing?.request?.toString(), pricing?.image?.toString()]).toEqual(['0.25', '0.5']);
  });
});

describe('the tokenizer of Claude', () => {
  it('is named on every endpoint of Claude, because its prompts have more tokens than those of other models', () => {
    const claude = realTextModels.filter(({ id }) => id.startsWith('anthropic/')).flatMap(({ endpoints }) => endpoints);

    expect(claude.length).toBeGreaterThan(20);
    expect(claude.filter(({ quirks }) => quirks.tokenizer !== 'claude').map(({ id }) => id)).toEqual([]);
  });
});

describe('the token bound of one image', () => {
  it.each([
    ['openai/gpt-5.5', 12_000],
    ['openai/gpt-4o-mini', 48_169],
    ['openai/gpt-4.1-mini', 6_636],
    ['openai/gpt-5-nano', 6_144],
    ['qwen/qwen3.7-plus', 16_384],
    ['qwen/qwen3.6-flash', 16_384],
    ['z-ai/glm-4.6v', 12_288],
  ])('of %s is at least %i', (id, maxImageTokens) => {
    expect(only(id).quirks.max_image_tokens).toBeGreaterThanOrEqual(maxImageTokens);
  });
});

describe('prices with dates', () => {
  const doubling = [
    'google/gemini-3.6-flash',
    'google/gemini-3.8-flash',
    'google/gemini-3.8-flash-tts',
    'google/gemini-3.8-flash-lite-tts',
  ];

  it.each(doubling)('double for %s at the beginning of 2027', (id) => {
    for (const endpoint of find(id).endpoints) {
      const at = (atMs: number) => pricesAt(endpoint, atMs).pricing!;
      const newYearMs = Date.UTC(2027, 0, 1);
      const [before, after] = [at(newYearMs - 1), at(newYearMs)];
      const names = Object.keys(before) as (keyof UnitPrices)[];
      expect(names.length).toBeGreaterThan(2);
      for (const name of names.filter((each) => each !== 'web_search')) {
        expect(after[name]!.equals(before[name]!.times(2))).toBe(true);
      }
    }
  });
});

describe('embedders with prices in roubles', () => {
  it.each([
    ['yandex/text-embeddings-v2-doc', '10.167', 2],
    ['yandex/text-embeddings-v2-query', '10.167', 2],
    ['sber/gigaembeddings-3b', '14', 1],
    ['sber/embeddings-gigar', '14', 1],
  ])('%s costs %s roubles per million tokens, and embeds two texts in %i requests', (id, rubPerMillion, requests) => {
    const { upstreamModel, quirks, supportedParameters, ...endpoint } = only(id);
    const task = { inputs: ['one', 'two'], encoding: 'float' as const, dimensions: undefined, inputType: undefined };
    const target = { providerId: 'p', upstreamModel, maxOutputTokens: undefined, supportedParameters, quirks };

    expect(endpoint.pricing!.prompt.times(1_000_000).toString()).toBe(rubPerMillion);
    const asked = Array.from(embeddingEngines['openai-embeddings'].batchRequests(task, target));
    expect(asked).toHaveLength(requests);
  });
});

describe('text models', () => {
  it.each([
    ['anthropic/claude-sonnet-4.6', 1_000_000, 128_000],
    ['amazon/nova-2-lite', 1_000_000, 65_535],
  ])('include %s with a context of %i tokens and an output of %i tokens at each endpoint', (id, context, output) => {
    const limits = find(id).endpoints.map(({ contextLength, maxOutputTokens }) => [contextLength, maxOutputTokens]);
    expect(limits.length).toBeGreaterThan(0);
    expect(limits).toEqual(limits.map(() => [context, output]));
  });

  it('include no model that xAI has retired', () => {
    expect(models.filter(({ id }) => id.startsWith('x-ai/grok-build'))).toEqual([]);
  });
});
