import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../lambdas/search/backend.ts';
import { finishedHits } from '../../lambdas/search/hits.ts';
import { plainText } from '../../lambdas/search/plain-text.ts';
import { queryOf } from '../support/search-backends.ts';

const page = (more: Partial<SearchHit> = {}): SearchHit => ({
  title: 'Title',
  url: 'https://example.com/a',
  text: 'Text',
  age: null,
  ...more,
});
const finished = (...found: SearchHit[]) => finishedHits(found, queryOf('q'));

describe('the text of a snippet', () => {
  it.each([
    ['<strong>Lake</strong> Baikal', 'Lake Baikal'],
    ['<hlword>Озеро</hlword> глубже', 'Озеро глубже'],
    ['a &amp; b &lt;i&gt; &#39;c&#39; &#x1F600; &laquo;d&raquo;', "a & b <i> 'c' 😀 «d»"],
    ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['a<br/>b<!-- c -->d', 'abd'],
    ['&unknown; &constructor; &#1114112; &#xD800; & alone', '&unknown; &constructor; \ufffd \ud800 & alone'],
  ])('%s', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});

describe('search hits', () => {
  it.each([
    'ftp://example.com/a',
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.com/a',
    'example.com',
    '',
    'https://example.com@evil.com/',
    'https://user:password@example.com/',
    `https://example.com/${'a'.repeat(2_048)}`,
    `https://example.com/${'ы'.repeat(1_000)}`,
  ])('exclude URLs like $0', (url) => {
    expect(finished(page({ url }))).toEqual([]);
  });

  it('have each page once, whatever the fragment of its URL', () => {
    const urls = ['https://example.com/a', 'https://EXAMPLE.com/a#part', 'https://example.com/a?b'];
    expect(finished(...urls.map((url) => page({ url }))).map(({ url }) => url)).toEqual([urls[0], urls[2]]);
  });

  it('are limited to the requested number after the filters', () => {
    const pages = ['https://blocked.org/', 'https://a.com/', 'https://b.com/', 'https://c.com/'].map((url) =>
      page({ url }),
    );
    const hits = finishedHits(pages, queryOf('q', { maxResults: 2, blockedDomains: ['blocked.org'] }));
    expect(hits.map(({ url }) => url)).toEqual(['https://a.com/', 'https://b.com/']);
  });

  it('are on the domains of the query, whatever the backend returned', () => {
    const pages = ['https://a.com/', 'https://docs.b.com/x'].map((url) => page({ url }));
    expect(finishedHits(pages, queryOf('q', { allowedDomains: ['b.com'] }))).toHaveLength(1);
  });

  it('have limited texts, cut between characters', () => {
    const [hit] = finished(page({ title: '😀'.repeat(400), text: `x${'😀'.repeat(4_000)}`, age: 'a'.repeat(500) }));
    expect([hit!.title.length, hit!.text.length, hit!.age!.length]).toEqual([300, 1_999, 100]);
    expect([hit!.title, hit!.text].every((text) => text.isWellFormed())).toBe(true);
  });

  it('have no control characters, no halves of characters, and no runs of blanks', () => {
    const [hit] = finished(page({ title: 'A\u0000 \n B', text: 'a\t\u00a0b\r\n\r\n c\u001b[2J \ud800d' }));
    expect([hit!.title, hit!.text]).toEqual(['A B', 'a b\nc [2J \ufffdd']);
  });

  it('have their URL as the title if there is none', () => {
    expect(finished(page({ title: ' ', age: ' ' }))).toEqual([
      { title: 'https://example.com/a', url: 'https://example.com/a', text: 'Text', age: null },
    ]);
  });
});
