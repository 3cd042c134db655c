import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { find } from '../../lib/local/sandbox/search/find.ts';
import { sandboxPages } from '../../lib/local/sandbox/search/answer.ts';
import { startSandbox, type SandboxUpstream } from '../../lib/local/sandbox/server.ts';
import { ask, backendAt, queryOf } from '../support/search-backends.ts';

let sandbox: SandboxUpstream;
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  sandbox = await startSandbox();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await sandbox.stop();
});

const impatient = { timeoutMs: 50, maxBytes: 1_000_000 };
const search = (text: string, more = {}) => ask(backendAt('searxng', sandbox.searchUrl), queryOf(text, more));
const first = (query: string) => find(sandboxPages, query)[0]?.url;

describe('pages of the sandbox search', () => {
  it('have unique URLs on several hosts, and a few sentences each', () => {
    const hosts = new Set(sandboxPages.map(({ url }) => new URL(url).hostname));
    expect([...hosts].toSorted()).toEqual(['corpus.example', 'docs.corpus.example', 'news.corpus.example']);
    expect(new Set(sandboxPages.map(({ url }) => url)).size).toBe(sandboxPages.length);
    const sentences = sandboxPages.map(({ text }) => text.match(/\.(?=\s|$)/g)!.length);
    expect([Math.min(...sentences) >= 3, Math.max(...sentences) <= 6]).toEqual([true, true]);
  });

  it.each([
    ['глубина Байкала', 'https://corpus.example/ru/baikal'],
    ['сколько копеек в рубле', 'https://corpus.example/ru/rubl'],
    ['полёт Гагариным', 'https://corpus.example/ru/gagarin'],
    ['зеленый чай', 'https://corpus.example/ru/chai'],
    ['How deep is Lake Baikal?', 'https://corpus.example/en/baikal'],
    ['server-sent events', 'https://docs.corpus.example/en/server-sent-events'],
    ['DynamoDB item size', 'https://docs.corpus.example/en/dynamodb'],
    ['pieces on a chess board', 'https://corpus.example/en/chess'],
    ['site:news.corpus.example aurora', 'https://news.corpus.example/en/2026/aurora'],
    ['aurora -site:news.corpus.example', undefined],
    ['xyzzy', undefined],
    ['', undefined],
  ])('are found for %j: %s', (query, url) => {
    expect(first(query)).toBe(url);
  });

  it('of a site are all found by a query with only the site', () => {
    expect(find(sandboxPages, '(site:docs.corpus.example OR site:other.example)')).not.toHaveLength(0);
  });
});

describe('the search of the sandbox', () => {
  it('has answers in the form of SearXNG', async () => {
    expect(await search('Московское метро', { maxResults: 1 })).toEqual({
      hits: [
        {
          title: 'Московское метро',
          url: 'https://corpus.example/ru/metro',
          text: expect.stringContaining('15 мая 1935'),
          age: '2026-05-15',
        },
      ],
    });
  });

  it('respects domains', async () => {
    const outcome = await search('token', { allowedDomains: ['docs.corpus.example/en'] });
    expect(outcome).toMatchObject({ hits: [{ url: 'https://docs.corpus.example/en/token-billing' }] });
  });

  it('refuses another format, like SearXNG without that format', async () => {
    expect((await fetch(`${sandbox.searchUrl}/search?q=x`)).status).toBe(403);
  });

  it.each([
    ['@search-429', { error: 'too_many_requests' }],
    ['@search-500', { error: 'unavailable' }],
    ['@search-garbage', { error: 'unavailable' }],
    ['@search-empty', { hits: [] }],
  ])('fails or finds nothing on request: %s', async (word, outcome) => {
    expect(await search(`чай ${word}`)).toEqual(outcome);
  });

  it.each(['@search-hang', '@search-slow=3000'])('is slow on request: %s', async (word) => {
    const backend = backendAt('searxng', sandbox.searchUrl, impatient);
    expect(await ask(backend, queryOf(`чай ${word}`))).toEqual({ error: 'unavailable' });
  });
});
