import type { SearchQuery } from './backend.ts';
import { hostsOf } from './domains.ts';
import { codePointsIn, countQueryWords } from './query-length.ts';

/** How a search engine reads filters that are words of the query. */
export interface SiteOperators {
  /** Stands between sites of which one is enough. */
  or: string;
  maxCharacters: number;
  maxWords: number;
}

/**
 * The query with its domain filters as `site:` and `-site:`, as many as the engine takes. Those that do not fit, and all
 * paths, are left to our own filter.
 */
export function withSites({ text, allowedDomains, blockedDomains }: SearchQuery, limits: SiteOperators): string {
  const allowed = hostsOf(allowedDomains).map((host) => `site:${host}`);
  const blocked = hostsOf(blockedDomains).map((host) => `-site:${host}`);
  let query = text;
  const isShort = (candidate: string) =>
    codePointsIn(candidate) <= limits.maxCharacters && countQueryWords(candidate) <= limits.maxWords;
  for (let count = allowed.length; count > 0; count--) {
    const sites = allowed.slice(0, count).join(` ${limits.or} `);
    const candidate = `${text} ${count > 1 ? `(${sites})` : sites}`;
    if (!isShort(candidate)) continue;
    query = candidate;
    break;
  }
  for (const site of blocked) {
    if (!isShort(`${query} ${site}`)) break;
    query += ` ${site}`;
  }
  return query;
}

/** Where our own filter may take some away, more are asked for; a search costs the same. */
export function resultsToAskFor({ maxResults, allowedDomains, blockedDomains }: SearchQuery, most: number): number {
  return allowedDomains.length + blockedDomains.length > 0 ? most : Math.min(maxResults, most);
}
