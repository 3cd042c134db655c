import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importCatalog } from '../../lib/admin/catalog/import-catalog.ts';
import { readGenaiPrices } from '../../lib/admin/price-lists/genai-prices.ts';
import { readPiAi } from '../../lib/admin/price-lists/pi-ai.ts';
import { findListed } from '../../lib/admin/price-lists/price-list.ts';
import { readModelsDev, readPriceList } from '../../lib/admin/price-lists/read-price-list.ts';

const big = `{"acme-chat": {"chat:big": {
  "id": "big", "type": "chat", "name": "Big", "input": ["text", "image"], "reasoning": true,
  "cost": {"input": 0.0375, "output": 2, "cacheRead": 0.005, "cacheWrite": 0,
    "tiers": [{"inputTokensAbove": 200000, "input": 0.1, "output": 4, "cacheRead": 0.01, "cacheWrite": 0}]},
  "contextWindow": 1000000, "maxTokens": 64000, "compat": {"supportsTemperature": false}
}}}`;
const at = { provider: 'acme', model: 'big' };

describe('the data of @earendil-works/pi-ai', () => {
  const list = readPiAi(new Map([['acme', big]]));

  it('is read with its thresholds, and without unknown prices', () => {
    expect(findListed([list], at)).toEqual({
      name: 'Big',
      cost: {
        input: '0.0375',
        output: '2',
        cache_read: '0.005',
        tiers: [{ input: '0.1', output: '4', cache_read: '0.01', tier: { size: '200000' } }],
      },
      limit: { context: '1000000', output: '64000' },
      modalities: { input: ['text', 'image'], output: ['text'] },
      reasoning: true,
      tool_call: true,
      temperature: false,
    });
  });

  it('has no price for a model whose prices are all 0', () => {
    const unpriced = big.replaceAll(/"(input|output|cacheRead)": [\d.]+/g, '"$1": 0');
    expect(findListed([readPiAi(new Map([['acme', unpriced]]))], at)).not.toHaveProperty('cost');
  });

  it('has the catalog’s names of providers', () => {
    expect(Object.keys(readPiAi(new Map([['together', '{}']])))).toEqual(['togetherai']);
  });

  it('has only chat models', () => {
    const classifier = big.replace('"type": "chat"', '"type": "classifier"');
    expect(findListed([readPiAi(new Map([['acme', classifier]]))], at)).toBeUndefined();
  });

  it('lacks release dates, so the selection must have them', () => {
    const wanted = { id: 'acme/big', from: [at] };
    const rate = { rubPerUsd: '90', markupPercent: '0' };

    expect(() => importCatalog([list], { models: [wanted], aliases: [] }, rate)).toThrow('add created to "acme/big"');
    const dated = { models: [{ ...wanted, created: '2026-11-10' }], aliases: [] };
    expect(importCatalog([list], dated, rate).get('acme.json')).toMatchObject({
      models: [{ permaslug: 'acme/big-20261110', created: '2026-11-10' }],
    });
  });
});

/** Returns a function that finds the cost for a name of a model with these prices. */
const costOf = (prices: unknown, day = '2026-11-22') => {
  const models = [{ id: 'big', match: { or: [{ equals: 'big-1' }, { starts_with: 'big-2' }] }, prices }];
  const findProvider = ({ providerId }: { providerId: string }) =>
    providerId === 'x-ai' ? { id: 'x-ai', models } : undefined;
  return (model: string) => findListed([readGenaiPrices({ findProvider }, day)], { provider: 'xai', model });
};

describe('the data of @pydantic/genai-prices', () => {
  it('has every certain name of a model', () => {
    const find = costOf({ input_mtok: 2, output_mtok: 6.5, cache_write_1h_mtok: 4 });
    const cost = { input: '2', output: '6.5', cache_write_1h: '4' };

    expect(['big', 'big-1', 'big-2'].map(find)).toEqual([{ cost }, { cost }, { cost }]);
    expect(find('big-20')).toBeUndefined();
  });

  it('applies the threshold of one kind of token to all kinds', () => {
    const tiered = { base: 2, tiers: [{ start: 200_000, price: 4 }] };
    expect(costOf({ input_mtok: tiered, output_mtok: 6 })('big')).toEqual({
      cost: { input: '2', output: '6', tiers: [{ input: '4', output: '6', tier: { size: '200000' } }] },
    });
  });

  it.each([
    ['before', '2026-08-16', '1'],
    ['on', '2026-08-17', '3'],
  ])('has the prices of the given day: %s the day on which other prices begin', (_when, day, input) => {
    const prices = [
      { prices: { input_mtok: 1, output_mtok: 1 } },
      { constraint: { type: 'start_date', start_date: '2026-08-17' }, prices: { input_mtok: 3, output_mtok: 3 } },
    ];
    expect(costOf(prices, day)('big')).toMatchObject({ cost: { input } });
  });

  it('has the prices of the most expensive hour, because the catalog has one price for all hours', () => {
    const peak = { type: 'time_of_date', start_time: '01:00:00Z', end_time: '04:00:00Z' };
    const prices = [
      { prices: { input_mtok: 1, output_mtok: 2 } },
      { constraint: peak, prices: { input_mtok: 2, output_mtok: 4 } },
    ];
    expect(costOf(prices)('big')).toEqual({ cost: { input: '2', output: '4' } });
  });

  it('writes small prices as decimals', () => {
    expect(costOf({ input_mtok: 2e-7, output_mtok: 1 })('big')).toMatchObject({ cost: { input: '0.0000002' } });
  });

  it('has no price for anything that is not billed by tokens', () => {
    expect(costOf({ audio_hours: 3 })('big')).toBeUndefined();
  });
});

describe('several lists', () => {
  const older = readModelsDev(
    '{"acme": {"models": {"big": {"name": "Big", "release_date": "2026-01-02", "cost": {"input": 9, "output": 9, "cache_read": 1}}}}}',
  );
  const newer = readModelsDev('{"acme": {"models": {"big": {"name": "BIG!", "cost": {"input": 3, "output": 4}}}}}');
  const silent = readModelsDev('{"acme": {"models": {"big": {"knowledge": "2025-06"}}}}');

  it('take facts of a model from the first list, and prices from the last list that has them', () => {
    expect(findListed([older, newer, silent], at)).toEqual({
      name: 'Big',
      release_date: '2026-01-02',
      knowledge: '2025-06',
      cost: { input: '3', output: '4' },
    });
  });

  it('take the own prices of an entry whose facts come from another entry', () => {
    const list = readModelsDev(`{
      "acme": {"models": {"big": {"name": "Big", "release_date": "2026-01-02", "cost": {"input": 1, "output": 1},
        "limit": {"context": 8000, "output": 800}, "modalities": {"input": ["text"], "output": ["text"]}}}},
      "reseller": {"models": {"acme-big": {"cost": {"input": 2, "output": 2}}}}
    }`);
    const place = { provider: 'reseller', model: 'acme-big', like: at };
    const selection = { models: [{ id: 'acme/big', from: [place] }], aliases: [] };

    expect(importCatalog([list], selection, { rubPerUsd: '100', markupPercent: '0' }).get('acme.json')).toMatchObject({
      models: [{ endpoints: [{ pricing: { prompt: '0.0002' } }] }],
    });
  });
});

describe('a price list of --from', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-price-lists-'));
  const packageOf = (name: string, files: Record<string, string>) => {
    const folder = mkdtempSync(join(directory, 'package-'));
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify({ name, type: 'module' }) })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  };
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('may be the folder of @earendil-works/pi-ai', async () => {
    const folder = packageOf('@earendil-works/pi-ai', {
      'dist/providers/data/acme.json': big,
      'dist/providers/data/.manifest.json': '{"schemaVersion": 6}',
    });
    const list = await readPriceList(folder, '2026-11-22');
    expect(findListed([list], at)).toMatchObject({ name: 'Big' });
  });

  it('may be the folder of @pydantic/genai-prices', async () => {
    const code = `export const findProvider = ({ providerId }) => providerId === 'openai'
      ? { models: [{ id: 'big', match: { equals: 'big' }, prices: { input_mtok: 1, output_mtok: 2 } }] } : undefined;`;
    const list = await readPriceList(packageOf('@pydantic/genai-prices', { 'dist/index.js': code }), '2026-11-22');
    expect(findListed([list], { provider: 'openai', model: 'big' })).toEqual({ cost: { input: '1', output: '2' } });
  });

  it('may not be another package', async () => {
    await expect(readPriceList(packageOf('left-pad', {}), '2026-11-22')).rejects.toThrow('is not a price list');
  });
});
