/** Parameters of the selection become the parameters that the catalog lists. */

import { describe, expect, it } from 'vitest';
import { importCatalog } from '../../lib/admin/catalog/import-catalog.ts';
import { selectionSchema } from '../../lib/admin/catalog/import-selection.ts';
import { readModelsDev } from '../../lib/admin/price-lists/read-price-list.ts';

const list = `{"acme": {"models": {"writer": {
  "name": "Writer", "release_date": "2026-01-02", "limit": {"context": 1000, "output": 100},
  "modalities": {"input": ["text"], "output": ["text"]}, "cost": {"input": 1, "output": 1}
}}}}`;
const writer = { id: 'acme/writer', from: [{ provider: 'acme', model: 'writer' }] };
const entry = { about: 'It does.', source: 'https://acme.test/docs', providers: ['acme'] };
const plain = ['max_tokens', 'stop', 'temperature', 'top_p'];

const parse = (entries: object[], model: object = writer) =>
  selectionSchema.safeParse({ models: [model], provider_parameters: entries, aliases: [] });

function listed(entries: object[], { source = list, model = writer }: { source?: string; model?: object } = {}) {
  const files = importCatalog([readModelsDev(source)], parse(entries, model).data!, {
    rubPerUsd: '90',
    markupPercent: '10',
  });
  return (files.get('acme.json') as { models: { supported_parameters: string[] }[] }).models[0]!.supported_parameters;
}

describe('parameters of providers', () => {
  it('are listed in the order of the catalog', () => {
    expect(listed([{ ...entry, parameters: ['verbosity', 'seed'] }])).toEqual([...plain, 'seed', 'verbosity']);
  });

  it.each([
    ['another provider', { providers: ['other'] }],
    ['another model', { models: ['acme/other'] }],
    ['another wire', { wire: 'openai-responses' }],
    ['models that reason', { reasons: true }],
  ])('are not those of %s', (_whose, more) => {
    expect(listed([{ ...entry, ...more, parameters: ['seed'] }])).toEqual(plain);
  });

  it('are those of endpoints on a wire of their own', () => {
    const model = { ...writer, wire: 'openai-responses' };
    const own = { ...entry, wire: 'openai-responses', models: ['acme/writer'], reasons: false };

    expect(listed([{ ...own, parameters: ['verbosity'] }], { model })).toEqual([...plain, 'verbosity']);
    expect(listed([{ ...entry, parameters: ['seed'] }], { model })).toEqual(plain);
  });

  it('are without sampling if the model has a fixed temperature', () => {
    const fixed = list.replace('"cost"', '"temperature": false, "cost"');

    expect(listed([{ ...entry, parameters: ['seed', 'top_k', 'verbosity'] }], { source: fixed })).toEqual([
      'max_tokens',
      'stop',
      'verbosity',
    ]);
  });

  it('have names that the catalog has, and a known source', () => {
    expect(parse([{ ...entry, parameters: ['sead'] }]).success).toBe(false);
    expect(parse([{ ...entry, parameters: ['seed'], source: 'hearsay' }]).success).toBe(false);
    expect(parse([{ ...entry, parameters: ['seed'] }]).success).toBe(true);
  });
});
