/** Tavily, `POST /search`: https://docs.tavily.com/documentation/api-reference/endpoint/search */

import * as z from 'zod';
import type { UserLocation } from '../backend.ts';
import { hostsOf } from '../domains.ts';
import { hitAge, readHits, hitText, type BackendKind } from './kind.ts';

const MAX_TAVILY_RESULTS = 20;
/** Maximum lengths of Tavily's domain lists. The gateway filters the results again with the complete lists. */
const MAX_INCLUDED = 300;
const MAX_EXCLUDED = 150;

/**
 * English names of countries by country code. Only unambiguous names are listed, because Tavily rejects unknown names.
 */
const tavilyCountries: Record<string, string> = {
  AM: 'armenia',
  AT: 'austria',
  AU: 'australia',
  AZ: 'azerbaijan',
  BE: 'belgium',
  BR: 'brazil',
  BY: 'belarus',
  CA: 'canada',
  CH: 'switzerland',
  CN: 'china',
  DE: 'germany',
  EE: 'estonia',
  ES: 'spain',
  FI: 'finland',
  FR: 'france',
  GB: 'united kingdom',
  GE: 'georgia',
  IL: 'israel',
  IN: 'india',
  IT: 'italy',
  JP: 'japan',
  KZ: 'kazakhstan',
  LT: 'lithuania',
  LV: 'latvia',
  MD: 'moldova',
  NL: 'netherlands',
  PL: 'poland',
  RS: 'serbia',
  RU: 'russia',
  SE: 'sweden',
  UA: 'ukraine',
  US: 'united states',
  UZ: 'uzbekistan',
};

const tavilyAnswerSchema = z.object({
  results: z.array(z.object({ title: hitText, url: hitText, content: hitText, published_date: hitAge.optional() })),
});

export const tavily: BackendKind = {
  maxWords: Infinity,
  // Tavily's statuses for the limit of the plan, and for the limit of spending beyond the plan.
  refusals: [432, 433],

  request(query, { credential }) {
    const country = tavilyCountry(query.location);
    return {
      method: 'POST',
      path: '/search',
      headers: { authorization: `Bearer ${credential}` },
      body: {
        query: query.text,
        max_results: Math.min(query.maxResults, MAX_TAVILY_RESULTS),
        // This search depth is cheaper than `advanced`.
        search_depth: 'basic',
        topic: 'general',
        ...(country ? { country } : {}),
        include_domains: hostsOf(query.allowedDomains).slice(0, MAX_INCLUDED),
        exclude_domains: hostsOf(query.blockedDomains).slice(0, MAX_EXCLUDED),
      },
    };
  },

  read: (body) =>
    readHits(body, tavilyAnswerSchema, ({ results }) =>
      results.map(({ title, url, content, published_date: date }) => ({
        title,
        url,
        text: content,
        age: date ?? null,
      })),
    ),
};

function tavilyCountry(location: UserLocation | undefined): string | undefined {
  const code = location?.country?.toUpperCase() ?? '';
  return Object.hasOwn(tavilyCountries, code) ? tavilyCountries[code] : undefined;
}
