/** Brave Search API, `GET /res/v1/web/search`: https://api-dashboard.search.brave.com/api-reference/web/search/get */

import * as z from 'zod';
import type { SearchQuery, UserLocation } from '../backend.ts';
import { plainText } from '../plain-text.ts';
import { backendResults, withSites } from '../site-operators.ts';
import { hitAge, readHits, hitText, type BackendKind } from './kind.ts';

const MAX_BRAVE_WORDS = 50;
const braveOperators = { or: 'OR', maxCharacters: 400, maxWords: MAX_BRAVE_WORDS };
const MAX_BRAVE_RESULTS = 20;

/** Countries that Brave accepts. Without a country, it searches for the United States, unless `ALL` is sent. */
const braveCountries = new Set(
  'AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(
    ' ',
  ),
);

const braveAnswerSchema = z.object({
  type: z.literal('search'),
  // Absent if there are no results.
  web: z
    .object({
      results: z
        .array(
          z.object({
            title: hitText,
            url: hitText,
            description: hitText,
            extra_snippets: z.array(hitText).nullish(),
            age: hitAge.optional(),
            page_age: hitAge.optional(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

const DAY_SECONDS = 86_400;

/**
 * Whether the quota of a day or longer is used up. The headers list the windows, such as `1;w=1, 15000;w=2592000`, and
 * the remaining requests of each window. A quota of 0 is unlimited.
 * https://api-dashboard.search.brave.com/documentation/guides/rate-limiting
 */
function isQuotaUsedUp(headers: Headers): boolean {
  const listed = (name: string) => (headers.get(name) ?? '').split(',');
  const left = listed('x-ratelimit-remaining');
  return listed('x-ratelimit-policy').some((window, index) => {
    const [, quota, seconds] = /^\s*(\d+)\s*;\s*w=(\d+)/.exec(window) ?? [];
    return Number(quota) > 0 && Number(seconds) >= DAY_SECONDS && left[index]?.trim() === '0';
  });
}

export const brave: BackendKind = {
  maxWords: MAX_BRAVE_WORDS,
  // Brave's status for an invalid key (https://github.com/nearai/ironclaw/issues/2780).
  refusals: [422],
  isQuotaUsedUp,

  request(query, { credential }) {
    const parameters = new URLSearchParams({
      q: withSites(query, braveOperators),
      count: String(backendResults(query, MAX_BRAVE_RESULTS)),
      country: braveCountry(query.location),
      ...languageOf(query),
      text_decorations: 'false',
      result_filter: 'web',
    });
    return {
      method: 'GET',
      path: `/res/v1/web/search?${parameters.toString()}`,
      headers: { 'x-subscription-token': credential!, ...placeHeaders(query.location) },
    };
  },

  read: (body) =>
    readHits(body, braveAnswerSchema, ({ web }) =>
      (web?.results ?? []).map((result) => ({
        title: plainText(result.title),
        url: result.url,
        text: [result.description, ...(result.extra_snippets ?? [])].map(plainText).join('\n'),
        age: result.age ?? result.page_age ?? null,
      })),
    ),
};

function braveCountry(location: UserLocation | undefined): string {
  const country = location?.country?.toUpperCase() ?? '';
  return braveCountries.has(country) ? country : 'ALL';
}

/** Returns Russian for a query with Cyrillic letters. For other queries, Brave's default applies, which is English. */
function languageOf({ text: query }: SearchQuery): { search_lang?: string } {
  return /\p{Script=Cyrillic}/u.test(query) ? { search_lang: 'ru' } : {};
}

/** Returns the headers with the place. They may only contain ASCII, so a name with other letters is omitted. */
function placeHeaders(location: UserLocation | undefined): Record<string, string> {
  const places = {
    'x-loc-city': location?.city,
    'x-loc-state-name': location?.region,
    'x-loc-country': location?.country?.toUpperCase(),
    'x-loc-timezone': location?.timezone,
  };
  return Object.fromEntries(
    Object.entries(places).filter((place): place is [string, string] =>
      /^[\x21-\x7e][\x20-\x7e]{0,99}$/.test(place[1] ?? ''),
    ),
  );
}
