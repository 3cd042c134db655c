import { describe, expect, it } from 'vitest';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { modelsFileSchema, providersFileSchema } from '../../lambdas/catalog/schema.ts';
import { warningsOf } from '../../lib/admin/catalog/catalog-warnings.ts';
import { shippedCatalog } from '../support/catalog.ts';

const provider = (id: string, address: object) => ({
  id,
  name: id,
  wire: 'anthropic',
  ...address,
  data_policy: { logs_prompts: false, trains_on_prompts: false },
});
const { providers } = providersFileSchema.parse({
  providers: [
    provider('acme', { base_url: 'https://api.acme.example' }),
    provider('own', { base_url_variable: 'OWN_BASE_URL' }),
  ],
});

interface Prices {
  [name: string]: unknown;
}

const model = (prices: Prices[], { id = 'acme/big', created = '2026-11-01', at = 'acme' } = {}) => {
  const endpoints = prices.map((pricing, index) => ({
    id: `${at}/${id}${index || ''}`,
    provider: at,
    upstream_model: 'big',
    pricing: { prompt: '1', completion: '2', ...pricing },
  }));
  const data = { id, permaslug: id, name: 'Big', created, input_modalities: ['text'], output_modalities: ['text'] };
  return modelsFileSchema.parse({ models: [{ ...data, endpoints }] }).models[0]!;
};
const spread = (told: string[]) => told.filter((warning) => warning.includes('times as much'));
const warnings = (...models: ReturnType<typeof model>[]) => warningsOf({ providers, models }, '2026-11-22');

describe('a catalog whose newest model is old', () => {
  it.each([
    ['2026-09-23', []],
    ['2026-09-22', ['The newest model, "acme/big", is 61 days old: import a newer price list.']],
  ])('gets a warning if created %s', (created, expected) => {
    expect(warnings(model([{}], { created }), model([{}], { id: 'acme/old', created: '2020-01-01' }))).toEqual(
      expected,
    );
  });

  it('is judged without endpoints at the operator’s own addresses', () => {
    const own = model([{}], { id: 'own/new', at: 'own' });
    expect(warnings(model([{}], { created: '2026-01-01' }), own)).toHaveLength(1);
  });
});

describe('an endpoint with one price for prompts of every length', () => {
  const tiered = providersFileSchema.parse({
    providers: [
      { ...provider('acme', { base_url: 'https://api.acme.example' }), tiered_prices: true },
      provider('other', { base_url: 'https://api.other.example' }),
    ],
  }).providers;
  const overrides = [{ min_prompt_tokens: 200_000, prompt: '2' }];
  const offered = (
    endpoints: { at: string; context?: number; flat?: true; overrides?: object[]; prompt?: string }[],
  ) => {
    const data = { id: 'acme/big', permaslug: 'acme/big', name: 'Big', created: '2026-11-01' };
    const modalities = { input_modalities: ['text'], output_modalities: ['text'] };
    const listed = endpoints.map(({ at, context, flat, overrides: tiers, prompt = '1' }) => ({
      id: `${at}/acme/big`,
      provider: at,
      upstream_model: 'big',
      context_length: context ?? 1_000_000,
      ...(flat ? { flat_price: true } : {}),
      pricing: { prompt, completion: '2', ...(tiers ? { overrides: tiers } : {}) },
    }));
    const file = modelsFileSchema.parse({ models: [{ ...data, ...modalities, endpoints: listed }] });
    return warningsOf({ providers: tiered, models: file.models }, '2026-11-22');
  };

  it('gets a warning at a provider that charges more for longer prompts', () => {
    expect(offered([{ at: 'acme' }])).toEqual([
      'acme/acme/big: "acme" charges more for longer prompts: add overrides, or set flat_price if the provider has one price for every length.',
    ]);
  });

  it.each([
    ['its overrides', { at: 'acme', overrides }],
    ['flat_price', { at: 'acme', flat: true as const }],
    ['a context that is shorter than any tier', { at: 'acme', context: 32_000 }],
    ['a provider with one price', { at: 'other' }],
  ])('gets no warning with %s', (_what, endpoint) => {
    expect(offered([endpoint])).toEqual([]);
  });

  it('gets a warning if another provider with the same price has tiers', () => {
    const twins = [{ at: 'acme', overrides }, { at: 'other' }];
    expect(offered(twins)).toEqual([expect.stringContaining('other/acme/big: acme/acme/big has the same price')]);
    expect(
      offered([
        { at: 'acme', overrides },
        { at: 'other', prompt: '0.9' },
      ]),
    ).toEqual([]);
    expect(
      offered([
        { at: 'acme', overrides },
        { at: 'other', context: 200_000 },
      ]),
    ).toEqual([]);
  });
});

describe('prices out of proportion', () => {
  const claude = { id: 'anthropic/claude' };

  it.each<[string, Prices, { id?: string }?]>([
    ['completion costs less than prompt', { completion: '0.5' }],
    ['prompt is 0, but the model is not marked as free: set a price, or service_free', { prompt: '0' }],
    ['completion is 0, but the model is not marked as free: set a price, or service_free', { completion: '0' }],
    ['input_cache_read costs more than prompt', { input_cache_read: '1.5' }],
    ['input_cache_write is over 1.25 times prompt', { input_cache_write: '1.3' }],
    ['input_cache_write_1h is over 2 times prompt', { input_cache_write_1h: '2.1' }],
    ['input_cache_write is not 1.25 times prompt', { input_cache_write: '1' }, claude],
    ['input_cache_write_1h is not 2 times prompt', { input_cache_write_1h: '1.6' }, claude],
  ])('cause a warning: %s', (what, prices, options) => {
    const id = `acme/${options?.id ?? 'acme/big'}`;
    expect(warnings(model([prices], options))).toEqual([`${id}: ${what}.`]);
  });

  it('may be zero at an address of the operator', () => {
    expect(warnings(model([{}]), model([{ prompt: '0', completion: '0' }], { id: 'own/new', at: 'own' }))).toEqual([]);
  });

  it('may be zero for tokens if the model has a price per song', () => {
    const free = { prompt: '0', completion: '0' };
    expect(warnings(model([{ ...free, song: '8' }]))).toEqual([]);
    expect(warnings(model([{ ...free, song: '0' }]))).toHaveLength(2);
  });

  it('cause a warning for tiers below the price of shorter prompts', () => {
    const overrides = [
      { min_prompt_tokens: 400_000, prompt: '1.5', completion: '3' },
      { min_prompt_tokens: 200_000, prompt: '2' },
    ];
    expect(warnings(model([{ overrides }]))).toEqual([
      'acme/acme/big above 400000 tokens: prompt costs less than for shorter prompts.',
    ]);
  });

  it('cause a warning within tiers as in the base price', () => {
    const overrides = [{ min_prompt_tokens: 200_000, prompt: '3' }];
    expect(warnings(model([{ overrides }]))).toEqual([
      'acme/acme/big above 200000 tokens: completion costs less than prompt.',
    ]);
  });

  it('cause a warning if a model costs over ten times more at one provider than at another', () => {
    const free = { prompt: '0', completion: '0' };
    expect(spread(warnings(model([{}, { prompt: '10', completion: '20' }, free])))).toEqual([]);
    expect(warnings(model([{}, { prompt: '10.5', completion: '20' }]))).toEqual([
      'acme/big: prompt costs 10.5 times as much at its most expensive provider as at its cheapest.',
    ]);
  });

  it('are accepted in the proportions of the makers’ lists', () => {
    const usual = { input_cache_read: '0.1', input_cache_write: '1.25', input_cache_write_1h: '2' };
    const overrides = [
      { min_prompt_tokens: 100_000, prompt: '2', completion: '4', input_cache_write: '2.5', input_cache_write_1h: '4' },
    ];
    expect(warnings(model([{ ...usual, overrides }], claude))).toEqual([]);
  });
});

const at = (date: string) => `2026-${date}T00:00:00Z`;
const dated = (...all: Prices[]) => warnings(model(all)).filter((warning) => /changes|ends/.test(warning));

describe('prices with dates', () => {
  it('get a warning if they end without a successor, however late', () => {
    expect(dated({ valid_until: '2030-01-01T00:00:00Z' })).toEqual([
      'acme/acme/big: pricing ends on 2030-01-01T00:00:00.000Z without a successor, so the endpoint gets no requests.',
    ]);
    const gap = { valid_until: at('12-30'), periods: [{ valid_from: '2027-02-01T00:00:00Z', prompt: '1.5' }] };
    expect(dated(gap)).toEqual([
      'acme/acme/big: pricing ends on 2026-12-30T00:00:00.000Z without a successor, so the endpoint gets no requests until 2027-02-01T00:00:00.000Z.',
    ]);
  });

  it('get a warning about an unknown cost if only the service cost of a paid model ends', () => {
    const paid = model([{}]);
    const [endpoint] = paid.endpoints;
    const ending = model([{ valid_until: at('12-30') }]).endpoints[0]!.pricing;
    const found = warnings({ ...paid, endpoints: [{ ...endpoint!, service_cost: ending }] });

    expect(found).toEqual([
      'acme/acme/big: service_cost ends on 2026-12-30T00:00:00.000Z without a successor, so the provider cost is unknown.',
    ]);
  });

  it('get no warning for an end in the past, or with a successor that is far', () => {
    expect(dated({ valid_from: at('11-01') })).toEqual([]);
    const successor = [{ valid_from: '2027-01-01T00:00:00Z', prompt: '1.5' }];
    expect(dated({ valid_until: '2027-01-01T00:00:00Z', periods: successor })).toEqual([]);
  });

  it.each([
    ['today', at('11-22'), 1],
    ['in less than thirty days', '2026-12-21T23:59:59.999Z', 1],
    ['in thirty days', at('12-22'), 0],
    ['yesterday', at('11-21'), 0],
  ])('get a warning if they change %s', (_, moment, count) => {
    const expected = `acme/acme/big: pricing changes on ${new Date(moment).toISOString()}.`;
    expect(dated({ periods: [{ valid_from: moment, prompt: '1.5' }] })).toEqual(count ? [expected] : []);
  });

  it('are compared with the other prices in each period', () => {
    const periods = [{ valid_from: '2027-06-01T00:00:00Z', prompt: '3' }];
    expect(warnings(model([{ periods }]))).toEqual(['acme/acme/big: completion costs less than prompt.']);
  });
});

/** Returns whether a warning is about a date that a provider has announced: the end of a model, or of a price. */
const isAboutDate = (warning: string) => /without a successor|pricing changes on/.test(warning);

describe('the shipped catalog', () => {
  it('has no prices out of proportion except the listed ones', () => {
    const files = readCatalogFiles(shippedCatalog);
    const newest = files.models
      .map(({ created }) => created)
      .toSorted()
      .at(-1)!;
    const warnings = warningsOf(files, newest).filter((warning) => !isAboutDate(warning));
    expect(warnings).toEqual(['deepinfra/minimax/minimax-m2.5: input_cache_write is over 1.25 times prompt.']);
  });
});
