import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SearchKind } from '../../lambdas/catalog/search-schema.ts';
import type { SearchQuery } from '../../lambdas/search/backend.ts';
import {
  answerOf,
  ask,
  backendAt,
  queryOf,
  searchKinds,
  startSearchApi,
  yandexBody,
  type SearchApi,
} from '../support/search-backends.ts';

let api: SearchApi;
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  api = await startSearchApi();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
});

async function askedOf(kind: SearchKind, words: string, more: Partial<SearchQuery> = {}) {
  api.answers((response) => response.end(answerOf[kind]([])));
  expect(await ask(backendAt(kind, api.url), queryOf(words, more))).toEqual({ hits: [] });
  const { body, ...asked } = api.asked();
  return { ...asked, body: body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>) };
}

async function answerTo(kind: SearchKind, body: string, query = queryOf('q')) {
  api.answers((response) => response.end(body));
  return ask(backendAt(kind, api.url), query);
}

const domains = { allowedDomains: ['a.com/blog', 'b.org'], blockedDomains: ['c.net'] };
const moscow = { city: 'Moscow', region: 'Moscow', country: 'RU', timezone: 'Europe/Moscow' };

describe('every backend', () => {
  it.each(searchKinds)('%s returns pages in order, with plain texts', async (kind) => {
    const pages = [
      { title: 'One', url: 'https://one.example/', text: 'First text', age: '20260102T000000' },
      { title: 'Два', url: 'https://two.example/2', text: 'Второй текст', age: null },
    ];
    const outcome = await answerTo(kind, answerOf[kind](pages));
    expect(outcome).toMatchObject({ hits: pages.map(({ title, url, text }) => ({ title, url, text })) });
  });

  it.each(searchKinds)('%s returns no page that the filters exclude', async (kind) => {
    const pages = ['https://evil.com/', 'https://docs.a.com/blog/1', 'https://a.com/'].map((url) => ({
      title: 't',
      url,
    }));
    const outcome = await answerTo(kind, answerOf[kind](pages), queryOf('q', { allowedDomains: ['a.com/blog'] }));
    expect(outcome).toMatchObject({ hits: [{ url: 'https://docs.a.com/blog/1' }] });
  });
});

describe('Yandex', () => {
  it('gets the folder and the query in its own format', async () => {
    const { method, path, headers, body } = await askedOf('yandex', 'глубина Байкала', { maxResults: 5 });
    expect([method, path, headers.authorization]).toEqual(['POST', '/v2/web/search', 'Api-Key secret-key']);
    expect(body).toEqual({
      query: { queryText: 'глубина Байкала', searchType: 'SEARCH_TYPE_RU', page: '0' },
      groupSpec: { groupMode: 'GROUP_MODE_FLAT', groupsOnPage: '5', docsInGroup: '1' },
      maxPassages: '5',
      folderId: 'folder-1',
      responseFormat: 'FORMAT_XML',
    });
  });

  it('gets domains as operators of the query, and a higher number of results', async () => {
    const { body } = await askedOf('yandex', 'q', domains);
    expect(body).toMatchObject({
      query: { queryText: 'q (site:a.com | site:b.org) -site:c.net' },
      groupSpec: { groupsOnPage: '20' },
    });
  });

  it.each([
    ['RU', { searchType: 'SEARCH_TYPE_RU' }, '225'],
    ['kz', { searchType: 'SEARCH_TYPE_RU' }, '159'],
    ['TR', { searchType: 'SEARCH_TYPE_TR' }, undefined],
    ['DE', { searchType: 'SEARCH_TYPE_COM' }, undefined],
    ['constructor', { searchType: 'SEARCH_TYPE_COM' }, undefined],
    [null, { searchType: 'SEARCH_TYPE_RU' }, undefined],
  ])('gets the type of search and the region for the country %s', async (country, query, region) => {
    const { body } = await askedOf('yandex', 'q', { location: { country } });
    expect([body!['query'], body!['region']]).toEqual([expect.objectContaining(query), region]);
  });

  it('returns marked words, several passages, and the date of a change', async () => {
    const body = yandexBody(
      '<yandexsearch version="1.0"><response date="20261101T120000"><results><grouping><group><doc>' +
        '<url>https://x.example/?a=1&amp;b=2</url><title>Озеро <hlword>Байкал</hlword> &lt;1&gt;</title><modtime>20260815T040000</modtime>' +
        '<headline>Коротко</headline><passages><passage>Самое <hlword>глубокое</hlword></passage><passage><![CDATA[A & B]]></passage></passages>' +
        '</doc></group></grouping></results></response></yandexsearch>',
    );
    expect(await answerTo('yandex', body)).toEqual({
      hits: [
        {
          title: 'Озеро Байкал <1>',
          url: 'https://x.example/?a=1&b=2',
          text: 'Коротко\nСамое глубокое\nA & B',
          age: '2026-08-15',
        },
      ],
    });
  });

  it.each([
    ['15', { hits: [] }],
    ['2', { error: 'invalid_tool_input' }],
    ['32', { error: 'too_many_requests' }],
    ['55', { error: 'too_many_requests' }],
    ['10002', { error: 'query_too_long' }],
    ['42', { error: 'unavailable' }],
    ['constructor', { error: 'unavailable' }],
  ])('handles the error code %s: %j', async (code, outcome) => {
    const xml = `<yandexsearch version="1.0"><response date="1"><error code="${code}">why</error></response></yandexsearch>`;
    expect(await answerTo('yandex', yandexBody(xml))).toEqual(outcome);
  });

  it.each([
    ['no base64', JSON.stringify({ rawData: '***' })],
    ['another document', yandexBody('<html><body/></html>')],
    ['no response', yandexBody('<yandexsearch/>')],
    ['a response without results', yandexBody('<yandexsearch><response/></yandexsearch>')],
    ['other bytes than UTF-8', JSON.stringify({ rawData: Buffer.from([0x3c, 0xff, 0x3e]).toString('base64') })],
  ])('is unavailable with %s', async (_, body) => {
    expect(await answerTo('yandex', body)).toEqual({ error: 'unavailable' });
  });
});

describe('Brave', () => {
  it('gets a query for web pages of any country', async () => {
    const { method, path, parameters, headers } = await askedOf('brave', 'lake', { maxResults: 5 });
    expect([method, path, headers['x-subscription-token']]).toEqual(['GET', '/res/v1/web/search', 'secret-key']);
    expect(parameters).toEqual({
      q: 'lake',
      count: '5',
      country: 'ALL',
      text_decorations: 'false',
      result_filter: 'web',
    });
  });

  it('gets domains as operators of the query, and a higher number of results', async () => {
    const { parameters } = await askedOf('brave', 'q', domains);
    expect(parameters).toMatchObject({ q: 'q (site:a.com OR site:b.org) -site:c.net', count: '20' });
  });

  it('gets a known location, and Russian for a Russian query', async () => {
    const { parameters, headers } = await askedOf('brave', 'погода', { location: moscow });
    expect(parameters).toMatchObject({ country: 'RU', search_lang: 'ru' });
    expect([headers['x-loc-city'], headers['x-loc-country'], headers['x-loc-timezone']]).toEqual([
      'Moscow',
      'RU',
      'Europe/Moscow',
    ]);
  });

  it.each(['Москва', 'a\r\nx-evil: 1', ' ', 'x'.repeat(101)])(
    'gets no city that a header cannot carry: %j',
    async (city) => {
      const { parameters, headers } = await askedOf('brave', 'q', { location: { city, country: 'KZ' } });
      expect([parameters['country'], headers['x-loc-city'], headers['x-evil']]).toEqual(['ALL', undefined, undefined]);
    },
  );

  it('returns markup, further snippets, and an age', async () => {
    const found = {
      title: 'A &amp; B',
      url: 'https://x.example/',
      description: 'The <strong>lake</strong>',
      extra_snippets: ['is <strong>deep</strong>', null],
      age: '6 days ago',
    };
    expect(await answerTo('brave', JSON.stringify({ type: 'search', web: { results: [found] } }))).toEqual({
      hits: [{ title: 'A & B', url: 'https://x.example/', text: 'The lake\nis deep', age: '6 days ago' }],
    });
  });

  it.each(['{"type":"search"}', '{"type":"search","web":null}', '{"type":"search","web":{}}'])(
    'returns no pages for %s',
    async (body) => {
      expect(await answerTo('brave', body)).toEqual({ hits: [] });
    },
  );
});

describe('Tavily', () => {
  it('gets domains as lists', async () => {
    const { method, path, headers, body } = await askedOf('tavily', 'lake', { ...domains, location: moscow });
    expect([method, path, headers.authorization]).toEqual(['POST', '/search', 'Bearer secret-key']);
    expect(body).toEqual({
      query: 'lake',
      max_results: 8,
      search_depth: 'basic',
      topic: 'general',
      country: 'russia',
      include_domains: ['a.com', 'b.org'],
      exclude_domains: ['c.net'],
    });
  });

  it.each(['ZZ', 'toString', null])('does not get the country %j, which it may not know', async (country) => {
    expect((await askedOf('tavily', 'q', { location: { country } })).body).not.toHaveProperty('country');
  });
});

describe('Exa', () => {
  it('gets a request for texts of pages, with domains as lists', async () => {
    const { method, path, headers, body } = await askedOf('exa', 'lake', { ...domains, location: moscow });
    expect([method, path, headers['x-api-key']]).toEqual(['POST', '/search', 'secret-key']);
    expect(body).toEqual({
      query: 'lake',
      type: 'auto',
      numResults: 8,
      includeDomains: ['a.com', 'b.org'],
      excludeDomains: ['c.net'],
      userLocation: 'RU',
      contents: { text: { maxCharacters: 2_000 } },
    });
  });
});

describe('SearXNG', () => {
  it('gets no credential', async () => {
    const { method, path, parameters, headers } = await askedOf('searxng', 'lake', { ...domains, location: moscow });
    expect([method, path]).toEqual(['GET', '/search']);
    expect(parameters).toEqual({ q: 'lake (site:a.com OR site:b.org) -site:c.net', format: 'json' });
    expect(JSON.stringify(headers)).not.toContain('secret-key');
  });

  it('is unavailable if it returns nothing because its engines failed', async () => {
    const body = JSON.stringify({ results: [], unresponsive_engines: [['google', 'CAPTCHA']] });
    expect(await answerTo('searxng', body)).toEqual({ error: 'unavailable' });
  });
});

describe('domains that do not all fit into a query', () => {
  const many = Array.from({ length: 60 }, (_, index) => `site-number-${index}.example.com`);

  it.each([
    ['yandex', () => (JSON.parse(api.asked().body) as { query: { queryText: string } }).query.queryText],
    ['brave', () => api.asked().parameters['q']!],
  ] as const)('are sent to %s up to its limit', async (kind, text) => {
    await askedOf(kind, 'query', { allowedDomains: many });
    const allowed = text();
    await askedOf(kind, 'query', { blockedDomains: many });
    const blocked = text();
    for (const query of [allowed, blocked]) {
      expect(query.length).toBeLessThanOrEqual(400);
      expect(query.length).toBeGreaterThan(300);
      expect(query.split(' ').length).toBeLessThanOrEqual(40);
    }
  });
});
