import type { SearchHit, SearchQuery } from './backend.ts';
import { domainFilter } from './domains.ts';

const MAX_URL_CHARACTERS = 2_048;
const MAX_TITLE_CHARACTERS = 300;
const MAX_HIT_TEXT_CHARACTERS = 2_000;
const MAX_AGE_CHARACTERS = 100;
/**
 * Maximum number of characters of a text that are read. It exceeds the maximum lengths, because cleaning shortens
 * texts.
 */
const MAX_HIT_READ_CHARACTERS = 16_384;

/** Returns the web pages that the query's filters allow, without duplicates, limited in number and size. */
export function finishedHits(found: readonly SearchHit[], query: SearchQuery): SearchHit[] {
  const isAllowed = domainFilter(query);
  const hits = new Map<string, SearchHit>();
  for (const { title, url, text, age } of found) {
    if (hits.size === query.maxResults) break;
    const address = webAddress(url);
    if (address === undefined || !isAllowed(address)) continue;
    const page = address.replace(/#.*$/s, '');
    if (hits.has(page)) continue;
    hits.set(page, {
      title: boundedHit(title, MAX_TITLE_CHARACTERS).replaceAll('\n', ' ') || page.slice(0, MAX_TITLE_CHARACTERS),
      url: address,
      text: boundedHit(text, MAX_HIT_TEXT_CHARACTERS),
      age: age === null ? null : boundedHit(age, MAX_AGE_CHARACTERS).replaceAll('\n', ' ') || null,
    });
  }
  return [...hits.values()];
}

/**
 * Returns a normalized URL; undefined for a URL that is invalid, too long or not http(s), or has a user name or
 * password, which could be mistaken for the host.
 */
function webAddress(url: string): string | undefined {
  if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return username || password || href.length > MAX_URL_CHARACTERS ? undefined : href;
}

/** Replaces white space and control characters by one space or line feed, and cuts the text. */
function boundedHit(text: string, maxCharacters: number): string {
  const clean = text
    .slice(0, MAX_HIT_READ_CHARACTERS)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}\p{Zs}]+/gu, (run) => (run.includes('\n') ? '\n' : ' '))
    .trim()
    .toWellFormed();
  return clean
    .slice(0, maxCharacters)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}
