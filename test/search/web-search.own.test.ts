import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import type { OpenBackend, SearchOutcome, SearchQuery } from '../../lambdas/search/backend.ts';
import { openBackends } from '../../lambdas/search/backends/open.ts';
import { searchWeb } from '../../lambdas/search/web-search.ts';
import { answerOf, backendAt, queryOf, startSearchApi } from '../support/search-backends.ts';

const signal = new AbortController().signal;
/** Time in ms that one backend may take. */
const A_BACKENDS_TIME_MS = 8_000;
const hit = { title: 't', url: 'https://x.example/', text: '', age: null };

/** Backends with these outcomes, and the queries that they got. */
function scripted(...outcomes: SearchOutcome[]) {
  const asked: SearchQuery[] = [];
  const backends = outcomes.map<OpenBackend>((outcome, index) => ({
    id: `b${index}`,
    search: async (query) => {
      asked.push(query);
      return outcome;
    },
  }));
  return { backends, asked };
}

describe('a web search', () => {
  it('tries backends in order until one answers', async () => {
    const { backends, asked } = scripted({ error: 'unavailable' }, { hits: [hit] }, { hits: [] });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ hits: [hit] });
    expect(asked).toHaveLength(2);
  });

  it('accepts an empty list as an answer', async () => {
    const { backends } = scripted({ hits: [] }, { hits: [hit] });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ hits: [] });
  });

  it('fails with the last failure', async () => {
    const { backends } = scripted({ error: 'unavailable' }, { error: 'too_many_requests' });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ error: 'too_many_requests' });
  });

  it('is unavailable without a backend', async () => {
    expect(await searchWeb([], queryOf('q'), { signal })).toEqual({ error: 'unavailable' });
  });

  it.each([
    ['', 'invalid_tool_input'],
    [' \n\t\u0000 ', 'invalid_tool_input'],
    ['😀'.repeat(401), 'query_too_long'],
  ])('sends no request for $0', async (text, error) => {
    const { backends, asked } = scripted({ hits: [hit] });
    expect(await searchWeb(backends, queryOf(text), { signal })).toEqual({ error });
    expect(asked).toEqual([]);
  });

  it('uses 400 characters of the query, on one line', async () => {
    const { backends, asked } = scripted({ hits: [] });
    await searchWeb(backends, queryOf(`${'😀'.repeat(398)}\n\ud800`), { signal });
    expect(asked[0]!.text).toBe(`${'😀'.repeat(398)} \ufffd`);
  });

  it('skips a backend for a query with too many words', async () => {
    const api = await startSearchApi();
    api.answers((response) => response.end(answerOf.tavily([hit])));
    const words = queryOf('a '.repeat(60));
    const outcomes = await Promise.all(
      [['yandex'], ['brave'], ['yandex', 'tavily']].map((kinds) =>
        searchWeb(
          kinds.map((kind) => backendAt(kind as 'yandex', api.url)),
          words,
          { signal },
        ),
      ),
    );
    await api.stop();
    expect(outcomes).toEqual([{ error: 'query_too_long' }, { error: 'query_too_long' }, { hits: [hit] }]);
  });
});

describe('the time limit of a web search', () => {
  it('applies to all backends together', async () => {
    const api = await startSearchApi();
    let requests = 0;
    api.answers(() => requests++);
    const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const backends = [backendAt('exa', api.url), backendAt('tavily', api.url)];
    const startedAt = performance.now();
    const outcome = await searchWeb(backends, queryOf('q'), { signal, timeoutMs: 500 });
    expect(performance.now() - startedAt).toBeLessThan(A_BACKENDS_TIME_MS);
    const lines = logged.mock.calls.length;
    logged.mockRestore();
    await api.stop();
    expect([outcome, requests, lines]).toEqual([{ error: 'unavailable' }, 1, 1]);
  });

  it('does not matter if the request is cancelled: the search ends at once, and no failure is logged', async () => {
    const api = await startSearchApi();
    const asking = new AbortController();
    api.answers(() => asking.abort());
    const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const startedAt = performance.now();
    const outcome = await searchWeb([backendAt('exa', api.url)], queryOf('q'), { signal: asking.signal });
    expect(performance.now() - startedAt).toBeLessThan(A_BACKENDS_TIME_MS);
    const lines = logged.mock.calls.length;
    logged.mockRestore();
    await api.stop();
    expect([outcome, lines]).toEqual([{ error: 'unavailable' }, 0]);
  });
});

const openIds = async (exclusionOf: Parameters<typeof openBackends>[1] = () => undefined) =>
  (await openBackends(loadCatalog(), exclusionOf)).map(({ id }) => id);

describe('the search backends of a catalog', () => {
  const names = ['GATEWAY_SECRETS_FILE', 'GATEWAY_SANDBOX_SEARCH_URL', 'SEARXNG_URL', 'YANDEX_FOLDER_ID'];
  const keys = ['YANDEX_SEARCH_API_KEY', 'BRAVE_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY'];
  beforeEach(() => {
    for (const name of [...names, ...keys]) vi.stubEnv(name, undefined);
    // The variable marks this process as a local gateway; the file is not read.
    vi.stubEnv('GATEWAY_SECRETS_FILE', new URL('../../package.json', import.meta.url).pathname);
  });
  afterEach(() => vi.unstubAllEnvs());

  it('include those with all settings, in order', async () => {
    vi.stubEnv('EXA_API_KEY', 'k');
    vi.stubEnv('BRAVE_API_KEY', 'k');
    vi.stubEnv('YANDEX_SEARCH_API_KEY', 'k');
    expect(await openIds()).toEqual(['brave', 'exa']);
    vi.stubEnv('YANDEX_FOLDER_ID', 'b1g');
    vi.stubEnv('SEARXNG_URL', 'http://searx');
    expect(await openIds()).toEqual(['yandex', 'brave', 'exa', 'searxng']);
  });

  it('are empty without settings', async () => {
    expect(await openIds()).toEqual([]);
  });

  it('include the sandbox only if there is no other, so that real searches never return made-up pages', async () => {
    vi.stubEnv('GATEWAY_SANDBOX_SEARCH_URL', 'http://127.0.0.1:1');
    expect(await openIds()).toEqual(['sandbox']);
    vi.stubEnv('BRAVE_API_KEY', 'k');
    expect(await openIds()).toEqual(['brave']);
    expect(await openIds(({ dataPolicy }) => (dataPolicy.logs_prompts ? 'logs' : undefined))).toEqual([]);
  });
});
