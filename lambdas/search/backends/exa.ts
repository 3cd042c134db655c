/**
 * Exa, `POST /search` (https://exa.ai/docs/reference/search). The response includes the texts of the pages. Exa charges
 * extra for more than ten pages (https://exa.ai/docs/reference/pricing).
 */

import * as z from 'zod';
import { hostsOf } from '../domains.ts';
import { hitAge, readHits, hitText, type BackendKind } from './kind.ts';

const MAX_EXA_RESULTS = 20;
const MAX_EXA_DOMAINS = 1_200;
const MAX_EXA_TEXT_CHARACTERS = 2_000;

const exaAnswerSchema = z.object({
  results: z.array(z.object({ title: hitText, url: hitText, text: hitText, publishedDate: hitAge.optional() })),
});

export const exa: BackendKind = {
  maxWords: Infinity,

  request(query, { credential }) {
    const country = query.location?.country?.toUpperCase() ?? '';
    const included = hostsOf(query.allowedDomains).slice(0, MAX_EXA_DOMAINS);
    const excluded = hostsOf(query.blockedDomains).slice(0, MAX_EXA_DOMAINS);
    return {
      method: 'POST',
      path: '/search',
      headers: { 'x-api-key': credential! },
      body: {
        query: query.text,
        type: 'auto',
        numResults: Math.min(query.maxResults, MAX_EXA_RESULTS),
        ...(included.length > 0 ? { includeDomains: included } : {}),
        ...(excluded.length > 0 ? { excludeDomains: excluded } : {}),
        ...(/^[A-Z]{2}$/.test(country) ? { userLocation: country } : {}),
        contents: { text: { maxCharacters: MAX_EXA_TEXT_CHARACTERS } },
      },
    };
  },

  read: (body) =>
    readHits(body, exaAnswerSchema, ({ results }) =>
      results.map(({ title, url, text: content, publishedDate: date }) => ({
        title,
        url,
        text: content,
        age: date?.slice(0, 'YYYY-MM-DD'.length) ?? null,
      })),
    ),
};
