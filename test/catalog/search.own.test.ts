import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { catalogDirectory, shippedCatalog, textModel } from '../support/catalog.ts';

type Json = Record<string, unknown>;

const shipped = () =>
  JSON.parse(readFileSync(join(shippedCatalog, 'search.json'), 'utf8')) as Json & { backends: Json[] };
const provider = {
  id: 'test',
  name: 'Test',
  wire: 'anthropic',
  base_url: 'https://test.example',
  data_policy: { logs_prompts: false, trains_on_prompts: false },
};
const priced = { provider: 'test', pricing: { prompt: '0.1', completion: '0.2' } };
const none = { provider: 'test', pricing: { prompt: '0', completion: '0' } };
const freeTerms = {
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

/** Loads a catalog. If `search` is undefined, the catalog has no search file. */
function load(search: object | undefined, more: { pricing?: object; serviceCost?: object } = {}) {
  const free = { ...none, service_cost: { ...none.pricing, ...more.serviceCost } };
  const models = [
    textModel('test/model', [{ ...priced, pricing: { ...priced.pricing, ...more.pricing } }]),
    textModel('test/model:free', [free], { service_free: freeTerms }),
  ];
  const catalog = catalogDirectory(models, [provider]);
  try {
    if (search) writeFileSync(join(catalog.path, 'search.json'), JSON.stringify(search));
    return loadCatalog(catalog.path);
  } finally {
    catalog.remove();
  }
}

const endpointOf = (catalog: ReturnType<typeof load>, id = 'test/model') => catalog.find(id)!.endpoints[0]!;
const pricesOf = (catalog: ReturnType<typeof load>) => endpointOf(catalog).pricing;

afterEach(() => vi.unstubAllEnvs());

describe('the web search of a catalog', () => {
  it('has the same price on every text model', () => {
    const catalog = load({ ...shipped(), price: '1.5' });
    expect([catalog.search?.price.toString(), pricesOf(catalog)?.web_search?.toString()]).toEqual(['1.5', '1.5']);
  });

  it('costs the client of a free model nothing, and the service its price', () => {
    const { pricing, serviceCost } = endpointOf(load(shipped()), 'test/model:free');
    expect([pricing?.web_search?.toString(), serviceCost?.web_search?.toString()]).toEqual(['0', '0.99']);
  });

  it('is absent without its file, and no model has its price', () => {
    const catalog = load(undefined);
    expect([catalog.search, pricesOf(catalog)?.web_search]).toEqual([undefined, undefined]);
  });

  it('is part of the version of the catalog', () => {
    const versions = [undefined, shipped(), { ...shipped(), price: '1' }].map((search) => load(search).version);
    expect(new Set(versions).size).toBe(3);
  });

  it('has the backends with a known address and folder', () => {
    for (const name of ['YANDEX_FOLDER_ID', 'SEARXNG_URL', 'GATEWAY_SANDBOX_SEARCH_URL']) vi.stubEnv(name, undefined);
    const ids = () => load(shipped()).search!.backends.map(({ id }) => id);
    expect(ids()).toEqual(['brave', 'tavily', 'exa']);
    vi.stubEnv('YANDEX_FOLDER_ID', 'b1g');
    vi.stubEnv('SEARXNG_URL', 'http://searx:8080/');
    expect(ids()).toEqual(['yandex', 'brave', 'tavily', 'exa', 'searxng']);
    const { backends, listed } = load(shipped()).search!;
    expect([backends[0]!.folder, backends[4]!.baseUrl, listed.length]).toEqual(['b1g', 'http://searx:8080', 6]);
  });
});

function edited(index: number, change: Json) {
  const search = shipped();
  search.backends[index] = { ...search.backends[index], ...change };
  return search;
}

describe('a search file is refused with the field of a mistake:', () => {
  it.each<[string, () => object, RegExp]>([
    ['a price that is not a decimal', () => ({ ...shipped(), price: 1 }), /search\.json: price/],
    ['more results than backends give', () => ({ ...shipped(), max_results: 21 }), /search\.json: max_results/],
    ['no backends', () => ({ ...shipped(), backends: [] }), /search\.json: backends/],
    ['an unknown kind', () => edited(0, { kind: 'telex' }), /backends\[0\]\.kind/],
    ['a backend twice', () => edited(1, { id: 'yandex' }), /backends\[1\]\.id: the backend "yandex" is listed twice/],
    [
      'an address in the clear',
      () => edited(1, { base_url: 'http://brave.example' }),
      /backends\[1\]\.base_url: must begin with https/,
    ],
    [
      'an address that only begins like this machine',
      () => edited(1, { base_url: 'http://127.0.0.1.evil.example' }),
      /must begin with https/,
    ],
    ['two addresses', () => edited(1, { base_url_variable: 'X' }), /backends\[1\]: set exactly one of base_url/],
    [
      'no credential',
      () => edited(1, { credential: undefined }),
      /backends\[1\]\.credential: is required for a backend of kind "brave"/,
    ],
    [
      'a folder that the kind does not use',
      () => edited(1, { folder: 'x' }),
      /backends\[1\]\.folder: must be left out of a backend of kind "brave"/,
    ],
    ['a typo', () => edited(1, { adress: 'x' }), /Unrecognized key: "adress"/],
  ])('%s', (_, search, message) => {
    expect(() => load(search())).toThrow(message);
  });

  it.each([
    ['pricing', { pricing: { web_search: '1' } }],
    ['service_cost', { serviceCost: { web_search: '1' } }],
  ])('an endpoint with its own search price in %s', (field, more) => {
    const message = `.endpoints[0].${field}.web_search: must be left out, because a search costs`;
    expect(() => load(shipped(), more)).toThrow(message);
  });
});

it('a search file may have a plain http address on this machine', () => {
  expect(() => load(edited(1, { base_url: 'http://127.0.0.1:8080' }))).not.toThrow();
});

describe('the search price of an endpoint', () => {
  it('is for searches of its provider if the gateway has no search', () => {
    expect(pricesOf(load(undefined, { pricing: { web_search: '1' } }))?.web_search?.toString()).toBe('1');
  });
});
