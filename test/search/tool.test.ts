import { describe, expect, it } from 'vitest';
import { searchFunction } from '../../lambdas/search/tool.ts';

describe('the function that declares the search to a model', () => {
  const declared = { type: 'web_search_20250305', name: 'web_search' } as const;

  it('is strict and marked for the cache if the client wants so', () => {
    const mark = { type: 'ephemeral' } as const;

    expect(searchFunction({ ...declared, strict: true, cache_control: mark })).toMatchObject({
      strict: true,
      cache_control: mark,
    });
    expect(Object.keys(searchFunction(declared))).toEqual(['name', 'description', 'input_schema']);
  });

  it("names the user's place", () => {
    const tool = searchFunction({ ...declared, user_location: { type: 'approximate', city: 'Kazan', country: 'RU' } });

    expect(tool.description).toContain('The user is in or near Kazan, RU.');
  });
});
