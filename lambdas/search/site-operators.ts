import type { SearchQuery } from './backend.ts';
import { hostsOf } from './domains.ts';
import { codePointsIn, countQueryWords } from './query-length.ts';

/** Syntax and limits of a search engine whose domain filters are part of the query. */
export interface SiteOperators {
  /** Operator between alternatives, such as `OR`. */
  or: string;
  maxCharacters: number;
  maxWords: number;
}

/**
 * Adds domain filters to a query as `site:` and `-site:`, as far as the engine's limits allow. The gateway later
 * filters the hits by all domains and paths.
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

/** Returns the number of hits to request: the engine's maximum if the gateway's own filter may remove hits. */
export function backendResults({ maxResults, allowedDomains, blockedDomains }: SearchQuery, most: number): number {
  return allowedDomains.length + blockedDomains.length > 0 ? most : Math.min(maxResults, most);
}
