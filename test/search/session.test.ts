import { describe, expect, it } from 'vitest';
import type { SearchOutcome } from '../../lambdas/search/backend.ts';
import { sealsOf } from '../../lambdas/search/seals.ts';
import { SearchSession } from '../../lambdas/search/session.ts';
import { Sources } from '../../lambdas/search/sources.ts';

const calls = ['a', 'b', 'c'].map((query) => ({ id: `srvtoolu_${query}`, query }));

function sessionWith(search: (query: string, signal: AbortSignal) => Promise<SearchOutcome>): SearchSession {
  return new SearchSession({
    settings: {},
    maxResults: 3,
    search: ({ text }, signal) => search(text, signal),
    protect: (text) => text,
    sources: new Sources(),
    seals: sealsOf('pepper', 'account'),
  });
}

describe('a search', () => {
  it.each([
    [undefined, 3],
    [2, 2],
    [5, 3],
  ])('with %s requested pages returns %s if the catalog allows three', async (asked, expected) => {
    const counts: number[] = [];
    const session = new SearchSession({
      settings: { max_results: asked },
      maxResults: 3,
      search: async ({ maxResults }) => {
        counts.push(maxResults);
        return { hits: [] };
      },
      protect: (text) => text,
      sources: new Sources(),
      seals: sealsOf('pepper', 'account'),
    });

    for await (const _ of session.make(calls.slice(0, 1), new AbortController().signal));

    expect(counts).toEqual([expected]);
  });
});

describe('searches whose client takes no more results', () => {
  it('are charged if they found an answer', async () => {
    const answers: Record<string, SearchOutcome> = { a: { hits: [] }, b: { error: 'unavailable' }, c: { hits: [] } };
    const session = sessionWith(async (query) => answers[query]!);
    const left = new AbortController();

    for await (const _ of session.make(calls, left.signal)) {
      left.abort();
      break;
    }

    expect(session.chargedCount).toBe(2);
  });

  it('are cancelled if the client had disconnected before they were made', async () => {
    const signals: AbortSignal[] = [];
    const session = sessionWith(async (_, signal) => {
      signals.push(signal);
      return { error: 'unavailable' };
    });

    for await (const _ of session.make(calls, AbortSignal.abort()));

    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
