import type { SandboxPage } from './page.ts';

const MAX_RESULTS = 10;
const TITLE_WEIGHT = 3;
/** Maximum difference in length between two forms of a word, for example "Байкал" and "Байкалом". */
const MAX_ENDING = 2;
const stopWords = new Set(
  'и в во на с о об у к по из за от для что как это the a an of in on at to is was and or for what how'.split(' '),
);

/**
 * Returns up to ten pages that match words of a query, best match first. Supports `site:` and `-site:`. A query with
 * `site:` but no words finds all pages of the site.
 */
export function find(pages: readonly SandboxPage[], query: string): SandboxPage[] {
  const { words, sites, excluded } = parseSearchQuery(query);
  return pages
    .filter(({ url }) => (sites.length === 0 || isOn(url, sites)) && !isOn(url, excluded))
    .map((page) => ({ page, score: words.length === 0 && sites.length > 0 ? 1 : scoreOf(page, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ page }) => page);
}

function parseSearchQuery(query: string): { words: string[]; sites: string[]; excluded: string[] } {
  const sites: string[] = [];
  const excluded: string[] = [];
  const text = query.replaceAll(/(-?)\bsite:([^\s()]+)/gi, (_, minus: string, site: string) => {
    (minus ? excluded : sites).push(site.toLowerCase());
    return ' ';
  });
  return { words: searchWords(text), sites, excluded };
}

function isOn(url: string, sites: readonly string[]): boolean {
  const { hostname } = new URL(url);
  return sites.some((site) => hostname === site || hostname.endsWith(`.${site}`));
}

function scoreOf({ title, text }: SandboxPage, words: readonly string[]): number {
  const titleWords = searchWords(title);
  const textWords = searchWords(text);
  return words
    .map((word) => (hasForm(titleWords, word) ? TITLE_WEIGHT : 0) + (hasForm(textWords, word) ? 1 : 0))
    .reduce((sum, score) => sum + score, 0);
}

function searchWords(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll('ё', 'е')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !stopWords.has(word));
}

function hasForm(words: readonly string[], word: string): boolean {
  return words.some((other) => areAlike(word, other));
}

/** Returns whether two words begin with the same letters, and so may be forms of the same word. */
function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const shorter = Math.min(one.length, other.length);
  const difference = Math.abs(one.length - other.length);
  if (shorter < 3 || difference > Math.min(MAX_ENDING, shorter - 2)) return false;
  const needed = shorter < 6 ? shorter - 1 : shorter - 2;
  return one.slice(0, needed) === other.slice(0, needed);
}
