import { describe, expect, it } from 'vitest';
import { unknownModel } from '../../lambdas/catalog/unknown-model.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const catalog = loadShippedCatalog();
const said = (id: string) => unknownModel(catalog, id, 'model').message;

describe('an unknown model', () => {
  it.each([
    ['mistyped', 'anthropic/cluade-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['mistyped, without its author', 'claude-sonet-5', 'anthropic/claude-sonnet-5'],
  ])('is refused with the most similar id: %s', (_, id, meant) => {
    expect(said(id)).toBe(`There is no model "${id}". Did you mean "${meant}"?`);
  });

  it.each(['nothing/like-it', 'anthropic/claude-sonnet-9', 'x', '', 'a'.repeat(10_000)])(
    'is refused without a suggestion if no id is similar: $0',
    (id) => {
      expect(said(id)).toContain("GET /models lists the catalog's ids.");
    },
  );
});
