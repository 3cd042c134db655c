import { describe, expect, it } from 'vitest';
import { Catalog, type Model } from '../../lambdas/catalog/catalog.ts';
import { requestedModels } from '../../lambdas/routing/requested-models.ts';

const known = ['acme/one', 'acme/two'].map((id) => ({ id, data: { permaslug: id } }) as Model);
const catalog = new Catalog(known, [], 'test');
const named = (model: string, models: string[] = []) => requestedModels(catalog, { model, models, messages: [] });

describe('the models of a request', () => {
  it('are in the order of the request, each once', () => {
    const found = named('acme/two:floor', ['acme/one', 'acme/two:nitro']);

    expect(found.map(({ model, sort, field }) => [model.id, sort, field])).toEqual([
      ['acme/two', 'price', 'model'],
      ['acme/one', undefined, 'models.0'],
    ]);
  });

  it('include a web search if one of their suffixes requests it', () => {
    expect(named('acme/one', ['acme/two', 'acme/one:online']).map(({ isOnline }) => isOnline)).toEqual([true, false]);
  });

  it.each(['acme/three', 'acme/three:floor', 'acme/one:cheap'])('are refused for %s', (model) => {
    expect(() => named('acme/one', [model])).toThrow(expect.objectContaining({ status: 404 }));
  });
});
