import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { pricesAt } from '../../lambdas/catalog/price-periods.ts';
import { catalogDirectory, loadShippedCatalog, sandboxAddresses, textModel } from '../support/catalog.ts';

beforeAll(() => {
  for (const name of sandboxAddresses) process.env[name] = 'http://127.0.0.1:1';
});
afterAll(() => {
  for (const name of sandboxAddresses) delete process.env[name];
});

const terms = {
  daily_base: 50,
  daily_funded: 400,
  base_ip_daily: 100,
  rpm: 20,
  funded_balance_threshold_rub: '100',
  funded_topup_threshold_rub: '500',
  daily_budget_rub: '10',
  input_token_limit: 200,
  output_token_limit: 64,
};
const endpoint = {
  provider: 'sandbox-openai',
  pricing: { prompt: '0', completion: '0' },
  service_cost: { prompt: '0.0001', completion: '0.001' },
};

function load(id: string, more: { terms?: object | undefined; endpoint?: object; model?: object } = {}) {
  const service = 'terms' in more ? more.terms && { ...terms, ...more.terms } : terms;
  const catalog = catalogDirectory([
    textModel(id, [{ ...endpoint, ...more.endpoint }], {
      ...(service ? { service_free: service } : {}),
      ...more.model,
    }),
  ]);
  try {
    return loadCatalog(catalog.path);
  } finally {
    catalog.remove();
  }
}

describe('a free model', () => {
  it('has its terms, a price of zero, and its service cost', () => {
    const model = load('test/model:free').find('test/model:free')!;

    expect(model.data.service_free!.daily_budget_rub.toString()).toBe('10');
    expect(model.endpoints[0]!.pricing!.prompt.isZero).toBe(true);
    expect(model.endpoints[0]!.serviceCost!.completion.toString()).toBe('0.001');
  });

  it('may have no service cost, and then needs no budget', () => {
    const nothing = { service_cost: { prompt: '0', completion: '0' } };

    expect(() => load('test/model:free', { endpoint: nothing, terms: { daily_budget_rub: '0' } })).not.toThrow();
  });

  it('has no price while its service cost is unknown, because its limits would not apply', () => {
    const ending = { service_cost: { ...endpoint.service_cost, valid_until: '2099-01-01T00:00:00Z' } };
    const model = load('test/model:free', { endpoint: ending }).find('test/model:free')!;
    const pricingAt = (time: string) => pricesAt(model.endpoints[0]!, Date.parse(time)).pricing;

    expect(pricingAt('2098-12-31T23:59:59Z')).toBeDefined();
    expect(pricingAt('2099-01-01T00:00:00Z')).toBeUndefined();
  });

  it.each([
    ['service_free', 'test/model:free', { terms: undefined }],
    ['service_free', 'test/model', {}],
    ['service_cost', 'test/model:free', { endpoint: { service_cost: undefined } }],
    ['pricing.completion', 'test/model:free', { endpoint: { pricing: { prompt: '0', completion: '0.1' } } }],
    ['pricing.request', 'test/model:free', { endpoint: { pricing: { prompt: '0', completion: '0', request: '1' } } }],
    ['service_free.daily_funded', 'test/model:free', { terms: { daily_base: 500 } }],
    ['service_free.daily_budget_rub', 'test/model:free', { terms: { daily_budget_rub: '1' } }],
    ['service_free.daily_budget_rub', 'test/model:free', { terms: { daily_budget_rub: '-1' } }],
    ['service_free.rpm', 'test/model:free', { terms: { rpm: 0 } }],
    ['temporarily_capacity_limited', 'test/model:free', { terms: { temporarily_capacity_limited: true } }],
    ['quirks.min_output_tokens', 'test/model:free', { endpoint: { quirks: { min_output_tokens: 65 } } }],
    [
      'quirks.reasoning_beyond_max_tokens',
      'test/model:free',
      { endpoint: { quirks: { reasoning_beyond_max_tokens: true } } },
    ],
  ])('is refused with the name of the wrong field: %s of %s', (field, id, more) => {
    expect(() => load(id, more)).toThrow(field);
  });
});

describe('the shipped free models', () => {
  const free = loadShippedCatalog().models.filter(({ data }) => data.service_free);

  it('are one of the sandbox and several real ones', () => {
    expect(free.map(({ id }) => id).toSorted()).toEqual([
      'google/gemma-4-31b-it:free',
      'meta-llama/llama-3.3-70b-instruct:free',
      'openai/gpt-oss-120b:free',
      'openai/gpt-oss-20b:free',
      'sandbox/gpt:free',
      'z-ai/glm-4.5-air:free',
    ]);
  });

  it('have a service cost of at most the price of their paid models', () => {
    const catalog = loadShippedCatalog();
    for (const { id, endpoints } of free.filter((model) => !model.id.startsWith('sandbox/'))) {
      const paid = catalog.find(id.replace(':free', ''))!;
      for (const [index, { serviceCost }] of endpoints.entries()) {
        const { prompt, completion } = paid.endpoints[index]!.pricing!;
        expect([serviceCost!.prompt.exceeds(prompt), serviceCost!.completion.exceeds(completion)]).toEqual([
          false,
          false,
        ]);
      }
    }
  });
});
