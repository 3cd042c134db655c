import { describe, expect, it } from 'vitest';
import { priceUpperBound, priceUsage } from '../../lambdas/accounting/price.ts';
import { buildCatalog, type CatalogFiles } from '../../lambdas/catalog/catalog.ts';
import { checkPriceDates } from '../../lambdas/catalog/check-price-dates.ts';
import { allPricings, highestWithin, pricesAt, pricesInTime } from '../../lambdas/catalog/price-periods.ts';
import { modelsFileSchema, providersFileSchema, type Pricing } from '../../lambdas/catalog/schema.ts';
import { videoPricesAt } from '../../lambdas/catalog/video-options.ts';

const NEW_YEAR = '2027-01-01T00:00:00Z';
const newYearMs = Date.UTC(2027, 0, 1);

function model(pricing: object, more: object = {}, endpoint: object = {}) {
  const listed = {
    id: 'acme/big',
    permaslug: 'acme/big-1',
    name: 'Big',
    created: '2026-11-01',
    context_length: 100_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [{ id: 'acme/big/0', provider: 'acme', upstream_model: 'big', pricing, ...endpoint }],
    ...more,
  };
  return modelsFileSchema.parse({ models: [listed] }).models[0]!;
}

const launch = { prompt: '1', completion: '2' };
const doubled = { ...launch, periods: [{ valid_from: NEW_YEAR, prompt: '2', completion: '4' }] };
const ending = { ...launch, valid_until: NEW_YEAR };

const periodsOf = (pricing: object, cost?: object) => {
  const { pricing: data, service_cost } = model(pricing, {}, cost ? { service_cost: cost } : {}).endpoints[0]!;
  return pricesInTime(data, service_cost);
};
const promptAt = (pricing: object, atMs: number) =>
  pricesAt(
    { periods: periodsOf(pricing), pricing: undefined, serviceCost: undefined },
    atMs,
  ).pricing?.prompt.toString();

const around = (pricing: object, fromMs: number, untilMs: number) =>
  highestWithin({ periods: periodsOf(pricing), pricing: undefined, serviceCost: undefined }, { fromMs, untilMs })
    .pricing!;

function expectCovered(highest: Pricing, each: Pricing) {
  for (const inputTokens of [0, 5, 11, 49, 51]) {
    for (const cacheReadTokens of [0, 3, 60]) {
      const usage = { inputTokens, cacheReadTokens, outputTokens: 8, reasoningTokens: 3 };
      const bound = { promptTokens: inputTokens + cacheReadTokens, outputTokens: 8, cacheWrites: 'none' } as const;
      expect(priceUsage(usage, each).total.exceeds(priceUsage(usage, highest).total)).toBe(false);
      expect(priceUpperBound(bound, each).exceeds(priceUpperBound(bound, highest))).toBe(false);
    }
  }
}

const check = (pricing: object) => () => checkPriceDates(model(pricing), 'models/x.json: models[0]');

describe('prices with dates', () => {
  it.each([
    ['one millisecond before', newYearMs - 1, '1'],
    ['at', newYearMs, '2'],
    ['one millisecond after', newYearMs + 1, '2'],
  ])('are those of the period %s midnight in UTC', (_, atMs, expected) => {
    expect(promptAt(doubled, atMs)).toBe(expected);
  });

  it('return to the usual prices after a period', () => {
    const sale = {
      ...launch,
      periods: [{ valid_from: '2026-12-01T00:00:00Z', valid_until: '2026-12-02T00:00:00Z', prompt: '0.5' }],
    };
    const times = [
      '2026-11-30T23:59:59.999Z',
      '2026-12-01T00:00:00Z',
      '2026-12-01T23:59:59.999Z',
      '2026-12-02T00:00:00Z',
    ];
    expect(times.map((time) => promptAt(sale, Date.parse(time)))).toEqual(['1', '0.5', '0.5', '1']);
  });

  it('end without a successor', () => {
    expect([promptAt(ending, newYearMs - 1), promptAt(ending, newYearMs)]).toEqual(['1', undefined]);
  });

  it('keep the prices that a period does not name', () => {
    const [, later] = allPricings(
      model({ ...launch, request: '7', periods: [{ valid_from: NEW_YEAR, prompt: '2' }] }).endpoints[0]!.pricing!,
    );
    expect([later!.prompt, later!.completion, later!.request].map(String)).toEqual(['2', '2', '7']);
  });

  it('have no dates in the prices of a request, so that a record has only prices', () => {
    const found = allPricings(model({ ...doubled, valid_until: NEW_YEAR }).endpoints[0]!.pricing!);
    expect(found.map((pricing) => Object.keys(pricing).sort())).toEqual([
      ['completion', 'prompt'],
      ['completion', 'prompt'],
    ]);
  });
});

describe('the prices of a hold', () => {
  it('are the highest that apply in the time in which the request may be sent', () => {
    const times = [newYearMs - 1_000, newYearMs - 999, newYearMs];
    expect(times.map((fromMs) => around(doubled, fromMs, fromMs + 1_000).prompt.toString())).toEqual(['1', '2', '2']);
  });

  it('are at least every price, for each length and part of a prompt', () => {
    const cached = {
      prompt: '10',
      completion: '20',
      input_cache_read: '1',
      internal_reasoning: '5',
      request: '3',
      overrides: [{ min_prompt_tokens: 50, prompt: '15' }],
      periods: [
        {
          valid_from: NEW_YEAR,
          prompt: '4',
          completion: '30',
          overrides: [{ min_prompt_tokens: 10, prompt: '11', input_cache_read: '9' }],
        },
      ],
    };
    const plain = {
      prompt: '10',
      completion: '20',
      periods: [{ valid_from: NEW_YEAR, prompt: '9', input_cache_read: '1' }],
    };
    for (const pricing of [cached, plain]) {
      const highest = around(pricing, newYearMs - 1, newYearMs + 1);
      for (const each of allPricings(model(pricing).endpoints[0]!.pricing!)) expectCovered(highest, each);
    }
  });
});

describe('a catalog with dates', () => {
  const { providers } = providersFileSchema.parse({
    providers: [
      {
        id: 'acme',
        name: 'Acme',
        wire: 'anthropic',
        base_url: 'https://acme.example',
        data_policy: { logs_prompts: false, trains_on_prompts: false },
      },
    ],
  });
  const files = (...models: CatalogFiles['models']): CatalogFiles => {
    return { providers, models, aliases: [], search: undefined, version: 'v' };
  };

  it('has the prices in force at the time at which it is requested', () => {
    const catalog = buildCatalog(files(model(doubled)), () => undefined, newYearMs - 1);
    const shown = (atMs: number) => catalog.at(atMs).find('acme/big')!.endpoints[0]!.pricing!.prompt.toString();
    expect([shown(newYearMs - 1), shown(newYearMs), shown(newYearMs - 1)]).toEqual(['1', '2', '1']);
  });

  it('is the same object until a price changes', () => {
    const catalog = buildCatalog(files(model(doubled)), () => undefined, newYearMs - 10);
    expect(catalog.at(newYearMs - 1)).toBe(catalog);
    expect(catalog.at(newYearMs + 5)).toBe(catalog.at(newYearMs));
    const undated = buildCatalog(files(model(launch)), () => undefined, 0);
    expect(undated.at(newYearMs)).toBe(undated);
  });

  it('omits a model whose prices have ended', () => {
    const catalog = buildCatalog(files(model(ending)), () => undefined, newYearMs - 1);
    expect([catalog.find('acme/big')?.id, catalog.at(newYearMs).find('acme/big')]).toEqual(['acme/big', undefined]);
  });
});

describe('the prices of videos', () => {
  it('change at the moment of a period', () => {
    const video = model(launch, {
      output_modalities: ['video'],
      video: {
        durations: [5],
        resolutions: ['720p'],
        aspect_ratios: ['16:9'],
        price_per_second: { '720p': '10' },
        periods: [{ valid_from: NEW_YEAR, price_per_second: { '720p': '20' } }],
      },
    }).video!;
    expect([newYearMs - 1, newYearMs].map((atMs) => videoPricesAt(video, atMs)['720p']!.toString())).toEqual([
      '10',
      '20',
    ]);
  });
});

describe('a catalog file', () => {
  const tiers = [{ min_prompt_tokens: 9, prompt: '3' }];

  it.each([
    ['a period without a time', { periods: [{ prompt: '2' }] }, 'pricing.periods[0]: needs valid_from or valid_until'],
    [
      'a period that ends when it begins',
      { periods: [{ valid_from: NEW_YEAR, valid_until: NEW_YEAR, prompt: '2' }] },
      'pricing.periods[0].valid_until: 2027-01-01T00:00:00Z must be after valid_from (2027-01-01T00:00:00Z)',
    ],
    [
      'prices that end before they begin',
      { valid_from: NEW_YEAR, valid_until: '2026-01-01T00:00:00Z' },
      'pricing.valid_until: 2026-01-01T00:00:00Z must be after valid_from',
    ],
    [
      'two periods at the same moment',
      {
        periods: [
          { valid_from: NEW_YEAR, prompt: '2' },
          { valid_until: '2027-01-01T00:00:00.001Z', prompt: '3' },
        ],
      },
      'pricing.periods[0]: applies at the same time as another period',
    ],
    [
      'a period without tiers, next to prices with tiers',
      { overrides: tiers, periods: [{ valid_from: NEW_YEAR, prompt: '2' }] },
      'pricing.periods[0].overrides: is required',
    ],
  ])('is refused with %s', (_, dated, message) => {
    expect(check({ ...launch, ...dated })).toThrow(`models/x.json: models[0].endpoints[0].${message}`);
  });

  it('is refused with prices by kinds of images next to periods', () => {
    const image = { output_formats: ['png'], qualities: ['low'], prices: { low: '2' } };
    expect(() => checkPriceDates(model(doubled, {}, { image }), 'models/x.json: models[0]')).toThrow(
      'endpoints[0].image.prices: have no dates',
    );
  });

  it('may have periods that follow each other without a gap', () => {
    const periods = [
      { valid_from: NEW_YEAR, prompt: '3' },
      { valid_from: '2026-12-01T00:00:00Z', valid_until: NEW_YEAR, prompt: '2' },
    ];
    expect(check({ ...launch, periods })).not.toThrow();
  });

  it.each(['2027-01-01', '2027-01-01T00:00:00', '2027-01-01T00:00:00+03:00', 'soon'])(
    'is refused with the time %s',
    (time) => {
      expect(() => model({ ...launch, periods: [{ valid_from: time, prompt: '2' }] })).toThrow('must be a time in UTC');
    },
  );
});
