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

  it.each([
    ['the name of a family', 'sonnet', /^Similar models: "anthropic\/claude-sonnet-[^"]+", "anthropic\/claude-sonnet-/],
    ['a family and a version', 'opus-4.5', /^Similar models: "anthropic\/claude-opus-4\.5", /],
    ['an older name', 'deepseek-chat', /^Similar models: "deepseek\/deepseek-/],
    ['an unknown version', 'anthropic/claude-sonnet-9', /^Similar models: "anthropic\/claude-sonnet-/],
    ['an ended model', 'claude-3-5-sonnet-20241022', /^Similar models: "anthropic\/claude-sonnet-/],
    ['a name without hyphens', 'Llama3', /^Similar models: "meta-llama\/llama-3\./],
    ['an ended model, like one of another family', 'gpt-4-turbo', /^Similar models: "openai\/gpt-/],
    ['a family with kinds', 'grok-beta', /^Similar models: "x-ai\/grok-\d/],
    ['a kind of a family', 'gemini-pro', /^Similar models: "google\/gemini-[^"]*pro/],
  ])('is refused with the nearest ids: %s', (_, id, hint) => {
    const [start, rest] = [`There is no model "${id}". `, said(id)];
    expect(rest.slice(0, start.length)).toBe(start);
    expect(rest.slice(start.length)).toMatch(hint);
    expect(rest).toMatch(/GET \/models lists the catalog's ids\.$/);
  });

  it.each(['nothing/like-it', 'no/o1-9', 'x', '', 'a'.repeat(10_000)])(
    'is refused without a suggestion if no id is similar: $0',
    (id) => {
      expect(said(id)).toBe(`There is no model "${id}". GET /models lists the catalog's ids.`);
    },
  );
});
