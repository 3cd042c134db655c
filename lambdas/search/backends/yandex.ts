/**
 * Yandex Search API v2, `POST /v2/web/search` (https://yandex.cloud/en/docs/search-api/api-ref/WebSearch/search). A
 * response is JSON that contains an XML document in base64 (https://yandex.cloud/en/docs/search-api/concepts/response).
 */

import * as z from 'zod';
import type { SearchErrorCode, SearchHit, SearchOutcome, UserLocation } from '../backend.ts';
import { backendResults, withSites } from '../site-operators.ts';
import type { BackendKind } from './kind.ts';
import { childrenOf, descendantsOf, readXml, xmlText, type XmlElement } from './xml.ts';

const MAX_YANDEX_WORDS = 40;
const yandexOperators = { or: '|', maxCharacters: 400, maxWords: MAX_YANDEX_WORDS };
const MAX_YANDEX_RESULTS = 20;

/** Region ids by country code: https://yandex.cloud/en/docs/search-api/reference/regions */
const yandexRegions: Record<string, string> = { RU: '225', UA: '187', BY: '149', KZ: '159' };

/**
 * Outcomes by error code (https://yandex.cloud/en/docs/search-api/reference/error-codes). All other codes are failures
 * of the service or of its configuration.
 */
const errors = new Map<string | undefined, SearchOutcome>([
  ['1', { error: 'invalid_tool_input' }],
  ['2', { error: 'invalid_tool_input' }],
  ['15', { hits: [] }],
  ['32', { error: 'too_many_requests' }],
  ['55', { error: 'too_many_requests' }],
  ['10002', { error: 'query_too_long' }],
]);
const yandexUnavailable: { error: SearchErrorCode } = { error: 'unavailable' };

const yandexAnswerSchema = z.object({ rawData: z.string() });

export const yandex: BackendKind = {
  maxWords: MAX_YANDEX_WORDS,

  request(query, { credential, folder }) {
    return {
      method: 'POST',
      path: '/v2/web/search',
      headers: { authorization: `Api-Key ${credential}` },
      // Protocol buffers write 64-bit integers as strings in JSON.
      body: {
        query: { queryText: withSites(query, yandexOperators), ...yandexIndex(query.location), page: '0' },
        groupSpec: {
          groupMode: 'GROUP_MODE_FLAT',
          groupsOnPage: String(backendResults(query, MAX_YANDEX_RESULTS)),
          docsInGroup: '1',
        },
        maxPassages: '5',
        ...yandexRegion(query.location),
        folderId: folder,
        responseFormat: 'FORMAT_XML',
      },
    };
  },

  read(body) {
    const xml = xmlOf(body);
    const [response] = xml ? childrenOf(xml, 'response') : [];
    if (xml?.name !== 'yandexsearch' || !response) return yandexUnavailable;
    const [error] = childrenOf(response, 'error');
    if (error) return errors.get(error.attributes['code']) ?? yandexUnavailable;
    const [results] = childrenOf(response, 'results');
    return results ? { hits: descendantsOf(results, 'doc').map(hitOf) } : yandexUnavailable;
  },
};

function xmlOf(body: string): XmlElement | undefined {
  try {
    const { rawData } = yandexAnswerSchema.parse(JSON.parse(body));
    return readXml(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(rawData, 'base64')));
  } catch {
    return undefined;
  }
}

function hitOf(document: XmlElement): SearchHit {
  const textsOf = (name: string) => descendantsOf(document, name).map(xmlText);
  return {
    title: textsOf('title')[0] ?? '',
    url: textsOf('url')[0] ?? '',
    text: [...textsOf('headline'), ...textsOf('passage')].join('\n'),
    age: dateOf(textsOf('modtime')[0] ?? ''),
  };
}

/** Converts a time such as `20260814T040000` to a date. */
function dateOf(time: string): string | null {
  const [, year, month, day] = /^\s*(\d{4})(\d{2})(\d{2})(?:T|\s*$)/.exec(time) ?? [];
  return year ? `${year}-${month}-${day}` : null;
}

const yandexCountryCode = (location: UserLocation | undefined) => location?.country?.toUpperCase() ?? '';

/**
 * Returns the Turkish index for Turkey, the Russian index for `yandexRegions` or without a country, and otherwise the
 * international index.
 */
function yandexIndex(location: UserLocation | undefined): { searchType: string } {
  const country = yandexCountryCode(location);
  if (country === 'TR') return { searchType: 'SEARCH_TYPE_TR' };
  return { searchType: country === '' || Object.hasOwn(yandexRegions, country) ? 'SEARCH_TYPE_RU' : 'SEARCH_TYPE_COM' };
}

function yandexRegion(location: UserLocation | undefined): { region?: string } {
  const country = yandexCountryCode(location);
  return Object.hasOwn(yandexRegions, country) ? { region: yandexRegions[country]! } : {};
}
