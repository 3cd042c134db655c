import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import type { OpenBackend, SearchOutcome, SearchQuery } from '../../lambdas/search/backend.ts';
import { openBackends } from '../../lambdas/search/backends/open.ts';
import { searchWeb } from '../../lambdas/search/web-search.ts';
import { answerOf, backendAt, queryOf, startSearchApi } from '../support/search-backends.ts';

const signal = new AbortController().signal;
/** Milliseconds that one backend may take. */
const A_BACKENDS_TIME_MS = 8_000;
const hit = { title: 't', url: 'https://x.example/', text: '', age: null };

/** Returns backends with these outcomes, and the queries that they got. */
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

describe('a search of the web', () => {
  it('asks backends in order until one answers', async () => {
    const { backends, asked } = scripted({ error: 'unavailable' }, { hits: [hit] }, { hits: [] });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ hits: [hit] });
    expect(asked).toHaveLength(2);
  });

  it('takes an empty list for an answer', async () => {
    const { backends } = scripted({ hits: [] }, { hits: [hit] });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ hits: [] });
  });

  it('ends with the last failure', async () => {
    const { backends } = scripted({ error: 'unavailable' }, { error: 'too_many_requests' });
    expect(await searchWeb(backends, queryOf('q'), { signal })).toEqual({ error: 'too_many_requests' });
  });

  it('is unavailable where there is no backend', async () => {
    expect(await searchWeb([], queryOf('q'), { signal })).toEqual({ error: 'unavailable' });
  });

  it.each([
    ['', 'invalid_tool_input'],
    [' \n\t\u0000 ', 'invalid_tool_input'],
    ['😀'.repeat(401), 'query_too_long'],
  ])('asks nobody for %.20j', async (text, error) => {
    const { backends, asked } = scripted({ hits: [hit] });
    expect(await searchWeb(backends, queryOf(text), { signal })).toEqual({ error });
    expect(asked).toEqual([]);
  });

  it('takes 400 characters, of whatever size, on one line', async () => {
    const { backends, asked } = scripted({ hits: [] });
    await searchWeb(backends, queryOf(`${'😀'.repeat(398)}\n\ud800`), { signal });
    expect(asked[0]!.text).toBe(`${'😀'.repeat(398)} \ufffd`);
  });

  it('leaves a query of too many words to a backend that takes it', async () => {
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

describe('the time of a search', () => {
  it('is bounded over all backends together', async () => {
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

  it('ends when nobody waits for it any more, and is nobody’s failure', async () => {
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

describe('the backends of a catalog', () => {
  const names = ['GATEWAY_SECRETS_FILE', 'GATEWAY_SANDBOX_SEARCH_URL', 'SEARXNG_URL', 'YANDEX_FOLDER_ID'];
  const keys = ['YANDEX_SEARCH_API_KEY', 'BRAVE_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY'];
  beforeEach(() => {
    for (const name of [...names, ...keys]) vi.stubEnv(name, undefined);
    // The content of the file is not read. The variable marks this process as a local gateway.
    vi.stubEnv('GATEWAY_SECRETS_FILE', new URL('../../package.json', import.meta.url).pathname);
  });
  afterEach(() => vi.unstubAllEnvs());

  it('are those that have all they need, in its order', async () => {
    vi.stubEnv('EXA_API_KEY', 'k');
    vi.stubEnv('BRAVE_API_KEY', 'k');
    vi.stubEnv('YANDEX_SEARCH_API_KEY', 'k');
    expect(await openIds()).toEqual(['brave', 'exa']);
    vi.stubEnv('YANDEX_FOLDER_ID', 'b1g');
    vi.stubEnv('SEARXNG_URL', 'http://searx');
    expect(await openIds()).toEqual(['yandex', 'brave', 'exa', 'searxng']);
  });

  it('are none where nothing is set', async () => {
    expect(await openIds()).toEqual([]);
  });

  it('are the sandbox only where there is no other: what a real one does not find is not made up', async () => {
    vi.stubEnv('GATEWAY_SANDBOX_SEARCH_URL', 'http://127.0.0.1:1');
    expect(await openIds()).toEqual(['sandbox']);
    vi.stubEnv('BRAVE_API_KEY', 'k');
    expect(await openIds()).toEqual(['brave']);
    expect(await openIds(({ dataPolicy }) => (dataPolicy.logs_prompts ? 'logs' : undefined))).toEqual([]);
  });
});
