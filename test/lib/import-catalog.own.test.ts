import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertPrice, importCatalog } from '../../lib/admin/catalog/import-catalog.ts';
import { selectionSchema } from '../../lib/admin/catalog/import-selection.ts';
import { withFacts } from '../../lib/admin/catalog/model-facts.ts';
import { readPiAi } from '../../lib/admin/price-lists/pi-ai.ts';
import { readModelsDev } from '../../lib/admin/price-lists/read-price-list.ts';
import { adminHere } from '../support/admin.ts';
import { shippedCatalog } from '../support/catalog.ts';

const decimals = (digits: number) =>
  fc.integer({ min: 0, max: 10 ** 9 }).map((value) => (value / 10 ** digits).toFixed(digits));

const units = (text: string) => BigInt(text.replace('.', ''));

const selected = (wire: object) => ({
  models: [
    {
      id: 'acme/vectors',
      from: [{ provider: 'acme', model: 'vectors' }],
      output_modalities: ['embeddings'],
      ...wire,
    },
  ],
  aliases: [],
});

const listedWithFreeCache = (price: number) =>
  `{"name": "Big", "release_date": "2026-01-02", "limit": {"context": 1000, "output": 100}, "tool_call": true,
    "modalities": {"input": ["text"], "output": ["text"]},
    "cost": {"input": ${price}, "output": ${price}, "cache_read": 0, "cache_write": 0}}`;

describe('importing a price list', () => {
  it.each(['0', '0.00'])('is refused at the rate %s, at which all models would be free', async (rate) => {
    const files = ['--from', '/nope.json', '--selection', '/nope.json', '--out', '/nope'];
    const { code, err } = await adminHere('/nope', 'catalog', 'import', ...files, '--rate', rate);

    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Use a number above 0.') as string });
  });

  it('never ends below the exact price, and at most 10⁻¹² RUB above it', () => {
    fc.assert(
      fc.property(decimals(6), decimals(4), decimals(2), (usd, rate, markup) => {
        // The exact price of one token, in 10⁻¹² RUB, is numerator / denominator. `units` removes the decimals of
        // dollars (10⁶), rate (10⁴) and markup (10²). The denominator also has 100 for percent, and 10⁶ for a million
        // tokens.
        const numerator = units(usd) * units(rate) * (10_000n + units(markup)) * 10n ** 12n;
        const denominator = 10n ** 6n * 10n ** 4n * 10n ** 4n * 10n ** 6n;
        const { pico } = convertPrice(usd, { rubPerUsd: rate, markupPercent: markup });
        return pico * denominator >= numerator && (pico - 1n) * denominator < numerator;
      }),
    );
  });

  it('reads prices from their digits, tiers included', () => {
    const source = `{"acme": {"models": {"big": {
      "name": "Big", "release_date": "2026-01-02", "limit": {"context": 1000000, "output": 64000},
      "modalities": {"input": ["text", "pdf"], "output": ["text"]}, "tool_call": true,
      "cost": {"input": 0.0375, "output": 2, "tiers": [{"input": 0.1, "tier": {"size": 200000}}]}
    }}}}`;
    const selection = { models: [{ id: 'acme/big', from: [{ provider: 'acme', model: 'big' }] }], aliases: [] };

    const files = importCatalog([readModelsDev(source)], selection, { rubPerUsd: '92.5', markupPercent: '10' });

    expect(files.get('acme.json')).toMatchObject({
      models: [
        {
          id: 'acme/big',
          permaslug: 'acme/big-20260102',
          context_length: 1_000_000,
          input_modalities: ['text', 'file'],
          endpoints: [
            {
              max_output_tokens: 64_000,
              pricing: {
                prompt: '0.000003815625',
                completion: '0.0002035',
                overrides: [{ min_prompt_tokens: 200_000, prompt: '0.000010175' }],
              },
            },
          ],
        },
      ],
    });
  });

  it('ends the prices of an endpoint when its provider ends the model', () => {
    const ending = { provider: 'acme', model: 'big', ends: '2026-12-11T00:00:00Z', ends_source: 'https://acme.test/' };
    const source = `{"acme": {"models": {"big": ${listedWithFreeCache(1)}}}}`;
    const from = [ending, { provider: 'acme', model: 'big' }];

    const files = importCatalog(
      [readModelsDev(source)],
      { models: [{ id: 'acme/big', from }], aliases: [] },
      { rubPerUsd: '1', markupPercent: '0' },
    );

    const prices = endpointsOf(files).map((endpoint) => (endpoint as { pricing: object }).pricing);
    expect(prices[0]).toMatchObject({ prompt: '0.000001', valid_until: '2026-12-11T00:00:00Z' });
    expect(prices[1]).toMatchObject({ prompt: '0.000001', valid_until: undefined });
  });

  it('omits cache prices of 0, unless the whole model is free', () => {
    const source = `{"acme": {"models": {"big": ${listedWithFreeCache(1)}, "gift": ${listedWithFreeCache(0)}}}}`;
    const models = ['big', 'gift'].map((name) => ({ id: `acme/${name}`, from: [{ provider: 'acme', model: name }] }));

    const files = importCatalog(
      [readModelsDev(source)],
      { models, aliases: [] },
      { rubPerUsd: '90', markupPercent: '0' },
    );

    const { models: made } = files.get('acme.json') as { models: { endpoints: { pricing: object }[] }[] };
    expect(made.map(({ endpoints }) => endpoints[0]!.pricing)).toEqual([
      { prompt: '0.00009', completion: '0.00009' },
      { prompt: '0', completion: '0', input_cache_read: '0', input_cache_write: '0' },
    ]);
  });

  describe('a model without text output', () => {
    const source = `{"acme": {"models": {"vectors": {
      "name": "Vectors", "release_date": "2026-01-02", "limit": {"context": 8000, "output": 0},
      "modalities": {"input": ["text"], "output": ["text"]}, "cost": {"input": 1, "output": 0}
    }}}}`;
    const rate = { rubPerUsd: '90', markupPercent: '0' };

    it('has the wire of the selection', () => {
      const files = importCatalog([readModelsDev(source)], selected({ wire: 'openai-embeddings' }), rate);

      expect(files.get('acme.json')).toMatchObject({ models: [{ endpoints: [{ wire: 'openai-embeddings' }] }] });
    });

    it('is refused without a wire in the selection, because its provider’s wire is for text', () => {
      expect(() => importCatalog([readModelsDev(source)], selected({}), rate)).toThrow(
        'add wire to "acme/vectors", because it has no text output',
      );
    });
  });

  const searching = `{"acme": {"models": {"searcher": {
    "name": "Searcher", "release_date": "2026-01-02", "limit": {"context": 1000, "output": 100},
    "modalities": {"input": ["text", "pdf", "video"], "output": ["text"]}, "cost": {"input": 1, "output": 1}
  }}}}`;
  const wanted = { id: 'acme/searcher', from: [{ provider: 'acme', model: 'searcher' }] };
  const atRate = { rubPerUsd: '90', markupPercent: '10' };

  it('adds the fee per request, which the list lacks', () => {
    const selection = {
      per_request_fee: ['acme'],
      models: [{ ...wanted, usd_per_thousand_requests: '5' }],
      aliases: [],
    };
    expect(importCatalog([readModelsDev(searching)], selection, atRate).get('acme.json')).toMatchObject({
      models: [{ endpoints: [{ pricing: { prompt: '0.000099', request: '0.495' } }] }],
    });
  });

  it('takes tiers and flat prices from the selection', () => {
    const [place] = wanted.from;
    const tiers = [{ input: '6', output: '60', tier: { size: '256000' } }];
    const usd = { input: '1', output: '5', tiers };
    const tiered = { models: [{ ...wanted, from: [{ ...place!, usd }] }], aliases: [] };
    const flat = { models: [{ ...wanted, from: [{ ...place!, flat_price: true as const }] }], aliases: [] };

    expect(endpointsOf(importCatalog([readModelsDev(searching)], tiered, atRate))).toMatchObject([
      { pricing: { overrides: [{ min_prompt_tokens: 256_000, prompt: '0.000594', completion: '0.00594' }] } },
    ]);
    expect(endpointsOf(importCatalog([readModelsDev(searching)], flat, atRate))).toMatchObject([{ flat_price: true }]);
  });

  it('takes prices with dates from the selection', () => {
    const [place] = wanted.from;
    const moment = '2027-01-01T00:00:00Z';
    const usd = {
      input: '1',
      output: '5',
      valid_until: moment,
      periods: [{ valid_from: moment, input: '2', output: '10' }],
    };
    const selection = selectionSchema.parse({ models: [{ ...wanted, from: [{ ...place!, usd }] }], aliases: [] });

    expect(endpointsOf(importCatalog([readModelsDev(searching)], selection, atRate))).toMatchObject([
      {
        pricing: {
          prompt: '0.000099',
          completion: '0.000495',
          valid_until: moment,
          periods: [{ valid_from: moment, prompt: '0.000198', completion: '0.00099' }],
        },
      },
    ]);
  });

  it('takes the listed price of reasoning as the price of whole answers, for providers that charge so', () => {
    const usd = { input: '1', output: '2', reasoning: '8' };
    const models = [{ ...wanted, from: [{ ...wanted.from[0]!, usd }] }];
    const pricingOf = (more: object) =>
      endpointsOf(importCatalog([readModelsDev(searching)], { models, aliases: [], ...more }, atRate))[0];

    expect(pricingOf({ thinking_prices: ['acme'] })).toMatchObject({ pricing: { thinking_completion: '0.000792' } });
    expect(pricingOf({})).toMatchObject({ pricing: { internal_reasoning: '0.000792' } });
  });

  it('refuses a model without a fee if its provider charges one', () => {
    const selection = { per_request_fee: ['acme'], models: [wanted], aliases: [] };
    expect(() => importCatalog([readModelsDev(searching)], selection, atRate)).toThrow(
      'Add usd_per_thousand_requests to "acme/searcher" in the selection',
    );
  });

  it('takes facts from another provider’s entry, with its own prices and limits', () => {
    const reseller = { provider: 'reseller', model: 'acme-searcher', like: wanted.from[0]! };
    const own = { usd: { input: '2', output: '4' }, limit: { context: 900, output: 50 }, quantization: 'fp8' };
    const selection = { models: [{ ...wanted, from: [...wanted.from, { ...reseller, ...own }] }], aliases: [] };
    const [first, second] = endpointsOf(importCatalog([readModelsDev(searching)], selection, atRate));

    expect(first).toMatchObject({ provider: 'acme', context_length: 1_000, pricing: { prompt: '0.000099' } });
    expect(second).toEqual({
      id: 'reseller/acme/searcher',
      provider: 'reseller',
      upstream_model: 'acme-searcher',
      context_length: 900,
      max_output_tokens: 50,
      quantization: 'fp8',
      pricing: { prompt: '0.000198', completion: '0.000396' },
    });
  });

  it('lists the input modalities of an endpoint if its model has more at another provider', () => {
    const narrow = { provider: 'acme', model: 'searcher', without_parameters: ['stop'], input_modalities: ['text'] };
    const selection = { models: [{ ...wanted, from: [...wanted.from, narrow] }], aliases: [] };
    const [wide, narrowed] = endpointsOf(importCatalog([readModelsDev(searching)], selection, atRate));

    expect(wide).not.toHaveProperty('supported_parameters');
    expect(narrowed).toMatchObject({
      input_modalities: ['text'],
      supported_parameters: ['max_tokens', 'temperature', 'top_p'],
    });
  });

  it('lists audio only if the selection does, because audio tokens may have another price', () => {
    const hearing = searching.replace('"pdf", "video"', '"pdf", "audio"');
    const listed = (one: object) => {
      const files = importCatalog([readModelsDev(hearing)], { models: [{ ...wanted, ...one }], aliases: [] }, atRate);
      return (files.get('acme.json') as { models: { input_modalities: string[] }[] }).models[0]!.input_modalities;
    };

    expect(listed({})).toEqual(['text', 'file']);
    expect(listed({ input_modalities: ['text', 'audio'] })).toEqual(['text', 'audio']);
  });

  it('lists audio only for the endpoints for which the selection does', () => {
    const hearing = searching.replace('"pdf", "video"', '"pdf", "audio"');
    const from = [{ ...wanted.from[0]!, input_modalities: ['text', 'file', 'audio'] }, ...wanted.from];
    const selection = { models: [{ ...wanted, from }], aliases: [] };
    const [first, second] = endpointsOf(importCatalog([readModelsDev(hearing)], selection, atRate));

    expect(first).not.toHaveProperty('input_modalities');
    expect(second).toMatchObject({ input_modalities: ['text', 'file'] });
  });

  it('adds a free variant, whose service cost is the price without the markup', () => {
    const terms = { daily_base: 50 };
    const selection = { models: [wanted], free: { terms, models: ['acme/searcher'] }, aliases: [] };

    const files = importCatalog([readModelsDev(searching)], selection, atRate);

    expect(files.get('acme.json')).toMatchObject({
      models: [
        { id: 'acme/searcher', endpoints: [{ pricing: { prompt: '0.000099' } }] },
        {
          id: 'acme/searcher:free',
          service_free: terms,
          endpoints: [{ pricing: { prompt: '0', completion: '0' }, service_cost: { prompt: '0.00009' } }],
        },
      ],
    });
  });

  it('adds the service cost of endpoints, if the selection requires it', () => {
    const files = importCatalog(
      [readModelsDev(searching)],
      { models: [wanted], service_cost: true, aliases: [] },
      atRate,
    );

    expect(files.get('acme.json')).toMatchObject({
      models: [{ endpoints: [{ pricing: { prompt: '0.000099' }, service_cost: { prompt: '0.00009' } }] }],
    });
  });

  it('refuses a free model that is not imported', () => {
    const selection = { models: [wanted], free: { terms: {}, models: ['acme/small'] }, aliases: [] };

    expect(() => importCatalog([readModelsDev(searching)], selection, atRate)).toThrow('"acme/small"');
  });

  it('lists only input modalities that the selection allows for an endpoint', () => {
    const selection = { models: [{ ...wanted, input_modalities: ['text'] }], aliases: [] };
    expect(importCatalog([readModelsDev(searching)], selection, atRate).get('acme.json')).toMatchObject({
      models: [{ input_modalities: ['text'] }],
    });
  });
});

const endpointsOf = (files: Map<string, unknown>) =>
  (files.get('acme.json') as { models: { endpoints: object[] }[] }).models[0]!.endpoints;

const shipped = (file: string): unknown => JSON.parse(readFileSync(join(shippedCatalog, file), 'utf8'));

describe('the shipped model files', () => {
  const selection = selectionSchema.parse(shipped('selection.json'));

  it('agree with the selection, in its order', () => {
    const authors = [...new Set(selection.models.map(({ id }) => id.split('/')[0]!))];
    for (const author of authors) {
      const { models } = shipped(`models/${author}.json`) as { models: Shipped[] };
      const wanted = selection.models
        .filter(({ id }) => id.startsWith(`${author}/`))
        .flatMap((one) => (selection.free?.models.includes(one.id) ? [one, { ...one, id: `${one.id}:free` }] : [one]));
      expect(models.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      for (const [index, { id, from, quirks, input_modalities: inputs }] of wanted.entries()) {
        const { endpoints, input_modalities: promised } = models[index]!;
        expect(endpoints.map(({ provider, upstream_model: model }) => ({ provider, model }))).toEqual(
          from.map(({ provider, model }) => ({ provider, model })),
        );
        for (const [at, endpoint] of endpoints.entries()) {
          const { wire, quirks: own } = from[at]!;
          const place = { model: id.replace(/:free$/, ''), provider: endpoint.provider };
          const known = withFacts(wire ? own : { ...quirks, ...own }, place, selection.facts ?? []);
          expect(endpoint.quirks ?? {}).toEqual(known);
        }
        if (inputs) expect(promised).toEqual(inputs);
      }
    }
  });

  // The price lists are not part of the project, and may be in a directory next to it.
  const beside = resolve(import.meta.dirname, '../../../shared/data');
  const july = join(beside, 'models.json');
  const november = join(beside, 'models-2026-11.json');
  it.skipIf(![july, november].every(existsSync))('equal the output of the importer for the price lists', () => {
    const lists = [readModelsDev(readFileSync(july, 'utf8')), readPiAi(piAiFiles(readFileSync(november, 'utf8')))];
    const files = importCatalog(lists, selection, { rubPerUsd: '90', markupPercent: '10' });
    for (const [name, content] of files) expect(JSON.parse(JSON.stringify(content))).toEqual(shipped(`models/${name}`));
  });
});

/** Returns files in the format of pi-ai by provider, from an extract of its data that has other field names. */
function piAiFiles(extract: string): Map<string, string> {
  const providers = JSON.parse(extract) as Record<string, Record<string, Record<string, unknown>>>;
  return new Map(
    Object.entries(providers).map(([provider, models]) => {
      const rows = Object.entries(models).map(([id, { context, max_tokens, no_temperature, reasoning, ...facts }]) => {
        const compat = no_temperature ? { supportsTemperature: false } : {};
        return [
          `chat:${id}`,
          { ...facts, id, reasoning: reasoning ?? false, contextWindow: context, maxTokens: max_tokens, compat },
        ];
      });
      return [provider, JSON.stringify({ api: Object.fromEntries(rows) as object })];
    }),
  );
}

interface Shipped {
  id: string;
  input_modalities: string[];
  endpoints: { provider: string; upstream_model: string; quirks?: object }[];
}
