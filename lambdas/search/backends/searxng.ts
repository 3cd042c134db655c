/**
 * SearXNG, `GET /search?format=json` (https://docs.searxng.org/dev/search_api.html). It has no parameter for a
 * location, and chooses the number of results itself.
 */

import * as z from 'zod';
import { withSites } from '../site-operators.ts';
import { hitAge, readHits, hitText, type BackendKind } from './kind.ts';

const searxngOperators = { or: 'OR', maxCharacters: 1_000, maxWords: 128 };

const searxngAnswerSchema = z
  .object({
    results: z.array(z.object({ title: hitText, url: hitText, content: hitText, publishedDate: hitAge.optional() })),
    /** Engines that refused the query or did not respond. */
    unresponsive_engines: z.array(z.unknown()).nullish(),
  })
  // SearXNG also returns an empty list if its engines failed.
  .refine(({ results, unresponsive_engines: failed }) => results.length > 0 || !failed?.length);

export const searxng: BackendKind = {
  maxWords: searxngOperators.maxWords,

  request(query) {
    const parameters = new URLSearchParams({ q: withSites(query, searxngOperators), format: 'json' });
    return { method: 'GET', path: `/search?${parameters.toString()}` };
  },

  read: (body) =>
    readHits(body, searxngAnswerSchema, ({ results }) =>
      results.map(({ title, url, content, publishedDate: date }) => ({
        title,
        url,
        text: content,
        age: date?.slice(0, 'YYYY-MM-DD'.length) ?? null,
      })),
    ),
};
