import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SearchBackend } from '../../lambdas/catalog/search.ts';
import type { SearchKind } from '../../lambdas/catalog/search-schema.ts';
import type { OpenBackend, SearchOutcome, SearchQuery } from '../../lambdas/search/backend.ts';
import type { BackendLimits } from '../../lambdas/search/backend-http.ts';
import { openBackend } from '../../lambdas/search/backends/open.ts';
import { listen, type Listening } from './listen.ts';

interface AskedSearch {
  method: string;
  path: string;
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Local search API that records its last request. */
export interface SearchApi extends Listening {
  asked: () => AskedSearch;
  answers: (answer: (response: ServerResponse) => void) => void;
}

export async function startSearchApi(): Promise<SearchApi> {
  let last: AskedSearch | undefined;
  let answer: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://api');
    last = {
      method: request.method!,
      path: pathname,
      parameters: Object.fromEntries(searchParams),
      headers: request.headers,
      body: await text(request),
    };
    answer?.(response);
  });
  return {
    ...(await listen(server)),
    asked: () => last!,
    answers: (next) => {
      answer = next;
    },
  };
}

export const searchKinds: SearchKind[] = ['yandex', 'brave', 'tavily', 'exa', 'searxng'];

export function backendAt(kind: SearchKind, baseUrl: string, limits?: BackendLimits): OpenBackend {
  const dataPolicy = { logs_prompts: true, trains_on_prompts: true };
  const data = { id: kind, name: kind, kind, data_policy: dataPolicy };
  const backend: SearchBackend = { id: kind, name: kind, kind, baseUrl, folder: 'folder-1', dataPolicy, data };
  return openBackend(backend, 'secret-key', limits);
}

export const queryOf = (words: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  text: words,
  maxResults: 8,
  allowedDomains: [],
  blockedDomains: [],
  ...more,
});

export const ask = (backend: OpenBackend, query: SearchQuery): Promise<SearchOutcome> =>
  backend.search(query, new AbortController().signal);

/** Values may have any type, to test invalid responses. */
export interface ToldPage {
  title?: unknown;
  url?: unknown;
  text?: unknown;
  age?: unknown;
}

const xmlText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

export const yandexBody = (xml: string): string => JSON.stringify({ rawData: Buffer.from(xml).toString('base64') });

/** Responses with the given pages, in each API's form. */
export const answerOf: Record<SearchKind, (pages: ToldPage[]) => string> = {
  yandex: (pages) => {
    const groups = pages.map(
      ({ title, url, text: passage, age }) =>
        `<group><categ attr="d" name="x"/><doccount>1</doccount><relevance/><doc id="Z1"><relevance/><url>${xmlText(url)}</url>` +
        `<domain>x</domain><title>${xmlText(title)}</title><modtime>${xmlText(age)}</modtime><size>0</size><charset>utf-8</charset>` +
        `<mime-type>text/html</mime-type><passages><passage>${xmlText(passage)}</passage></passages></doc></group>`,
    );
    return yandexBody(
      '<?xml version="1.0" encoding="utf-8"?>\n<yandexsearch version="1.0"><request><query>q</query></request>' +
        '<response date="20261101T120000"><reqid>1</reqid><found priority="all">1</found><results>' +
        `<grouping attr="" mode="flat" groups-on-page="8" docs-in-group="1">${groups.join('\n')}</grouping>` +
        '</results></response></yandexsearch>',
    );
  },
  brave: (pages) =>
    JSON.stringify({
      type: 'search',
      query: { original: 'q', more_results_available: true },
      web: {
        type: 'search',
        results: pages.map(({ title, url, text: description, age }) => ({
          type: 'search_result',
          title,
          url,
          description,
          age,
          language: 'en',
          profile: { name: 'x' },
        })),
        family_friendly: true,
      },
    }),
  tavily: (pages) =>
    JSON.stringify({
      query: 'q',
      answer: null,
      images: [],
      results: pages.map(({ title, url, text: content, age }) => ({
        title,
        url,
        content,
        published_date: age,
        score: 0.9,
        raw_content: null,
      })),
      response_time: 1.1,
      request_id: 'r',
    }),
  exa: (pages) =>
    JSON.stringify({
      requestId: 'r',
      resolvedSearchType: 'neural',
      results: pages.map(({ title, url, text: content, age }) => ({
        id: url,
        title,
        url,
        text: content,
        publishedDate: age,
        author: null,
      })),
      costDollars: { total: 0.005 },
    }),
  searxng: (pages) =>
    JSON.stringify({
      query: 'q',
      number_of_results: 0,
      results: pages.map(({ title, url, text: content, age }) => ({
        url,
        title,
        content,
        publishedDate: age,
        engine: 'brave',
        engines: ['brave'],
        score: 1,
        category: 'general',
      })),
      answers: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
};
