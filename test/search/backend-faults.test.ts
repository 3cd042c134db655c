import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SearchKind } from '../../lambdas/catalog/search-schema.ts';
import { kinds } from '../../lambdas/search/backends/kinds.ts';
import { finishedHits } from '../../lambdas/search/hits.ts';
import { mutated } from '../support/mutations.ts';
import type { BackendLimits } from '../../lambdas/search/backend-http.ts';
import {
  answerOf,
  ask,
  backendAt,
  queryOf,
  searchKinds,
  startSearchApi,
  type SearchApi,
} from '../support/search-backends.ts';

let api: SearchApi;
let logged: string[];
const impatient = { timeoutMs: 50, maxBytes: 2 * 1024 * 1024 };

beforeAll(async () => {
  api = await startSearchApi();
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
});
afterEach(() => expect(logged.join('')).not.toMatch(/secret-key|private words/));

const page = { title: 'T', url: 'https://x.example/', text: 'x', age: null };
const unavailable = { error: 'unavailable' };

/** Returns a valid response with an additional member. */
function grown(kind: SearchKind, text: string): string {
  return answerOf[kind]([page]).replace(/}$/, `,"more":"${text}"}`);
}

/** Returns the outcome of a search, and the log lines about it. */
async function search(kind: SearchKind, answer: (response: ServerResponse) => void, limits?: BackendLimits) {
  logged = [];
  api.answers(answer);
  return ask(backendAt(kind, api.url, limits), queryOf('private words'));
}

const withStatus =
  (status: number, body = '') =>
  (response: ServerResponse) =>
    response.writeHead(status).end(body);
const withBody = (body: string | Buffer) => (response: ServerResponse) => response.end(body);

describe.each(searchKinds)('%s', (kind) => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['429', withStatus(429, '{"detail":"secret-key"}'), 'too_many_requests'],
    ['500', withStatus(500, answerOf[kind]([page])), 'unavailable'],
    ['201', withStatus(201, answerOf[kind]([page])), 'unavailable'],
    ['404', withStatus(404, 'secret-key'), 'unavailable'],
    ['204', withStatus(204), 'unavailable'],
    ['a closed connection', (response) => response.destroy(), 'unavailable'],
    ['nothing', withBody(''), 'unavailable'],
    ['garbage', withBody('{"results": [{'), 'unavailable'],
    ['HTML', withBody('<!doctype html><title>x</title>'), 'unavailable'],
    ['other bytes than UTF-8', withBody(Buffer.from(grown(kind, '\u00ff'), 'latin1')), 'unavailable'],
    ['null', withBody('null'), 'unavailable'],
    ['a list', withBody('[]'), 'unavailable'],
    [
      'a text for the list',
      withBody('{"type":"search","results":"x","web":{"results":"x"},"rawData":7}'),
      'unavailable',
    ],
    [
      'a list of texts',
      withBody('{"type":"search","results":["x"],"web":{"results":["x"]},"rawData":["x"]}'),
      'unavailable',
    ],
    ['3 MiB', withBody(grown(kind, ' '.repeat(3 * 1024 * 1024))), 'unavailable'],
  ])('returns a failure for %s', async (_, answer, error) => {
    expect(await search(kind, answer)).toEqual({ error });
    expect(logged).toEqual([expect.stringContaining(`"search backend failed","provider":"${kind}"`)]);
  });

  it('accepts unknown fields', async () => {
    expect(await search(kind, withBody(grown(kind, 'x')))).toMatchObject({ hits: [{ url: page.url }] });
  });

  it('does not follow redirects', async () => {
    let requests = 0;
    const outcome = await search(kind, (response) => {
      if (requests++ === 0) response.writeHead(302, { location: `${api.url}/elsewhere` }).end();
      else response.end(answerOf[kind]([page]));
    });
    expect([outcome, requests]).toEqual([unavailable, 1]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['becomes silent within an answer', (response) => response.write('{"results":')],
  ])('is unavailable if it %s', async (_, answer) => {
    expect(await search(kind, answer, impatient)).toEqual(unavailable);
    expect(logged).toEqual([expect.stringContaining('"reason":"TimeoutError"')]);
  });

  it.each(['title', 'text', 'age'] as const)('accepts null for the %s of a page', async (field) => {
    const outcome = await search(kind, withBody(answerOf[kind]([{ ...page, [field]: null }])));
    expect(outcome).toMatchObject({ hits: [{ url: page.url }] });
  });

  it('accepts null for the URL of one page, and returns the others', async () => {
    const outcome = await search(kind, withBody(answerOf[kind]([{ ...page, url: null }, page])));
    expect(outcome).toMatchObject({ hits: [{ url: page.url }] });
  });

  it('returns hits or a failure with any value in place of any other', () => {
    const pages = [page, { ...page, title: 'U', age: '2026-01-02' }];
    fc.assert(
      fc.property(mutated([JSON.parse(answerOf[kind](pages))]), (body) => {
        const outcome = kinds[kind].read(body);
        if ('error' in outcome) return;
        for (const hit of finishedHits(outcome.hits, queryOf('q'))) {
          expect([hit.title, hit.url, hit.text, hit.age ?? ''].every((text) => typeof text === 'string')).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('returns eight of hundreds of pages', async () => {
    const pages = Array.from({ length: 300 }, (_, index) => ({ ...page, url: `https://x.example/${index}` }));
    const outcome = await search(kind, withBody(answerOf[kind](pages)));
    expect('hits' in outcome && outcome.hits).toHaveLength(8);
  });
});

describe.each(searchKinds.filter((kind) => kind !== 'yandex'))('%s, with a typed schema,', (kind) => {
  it.each(['title', 'url', 'text'] as const)('refuses a number for the %s of a page', async (field) => {
    expect(await search(kind, withBody(answerOf[kind]([{ ...page, [field]: 7 }])))).toEqual(unavailable);
  });

  it('accepts a number for the age of a page, which is optional', async () => {
    const outcome = await search(kind, withBody(answerOf[kind]([{ ...page, age: 7 }])));
    expect(outcome).toMatchObject({ hits: [{ age: null }] });
  });
});

describe('an address of a search backend', () => {
  it.each([
    ['an address without a server', 'http://127.0.0.1:1'],
    ['an invalid address', 'searx'],
    ['an address with a password', 'http://me:secret-key@127.0.0.1:1'],
    ['the address of a file', 'file:///etc/hostname'],
  ])('%s is unavailable', async (_, baseUrl) => {
    logged = [];
    expect(await ask(backendAt('searxng', baseUrl), queryOf('private words'))).toEqual(unavailable);
  });
});
