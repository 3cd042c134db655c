import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendJsonText } from '../send-json.ts';
import { englishPages } from './english-pages.ts';
import { find } from './find.ts';
import type { SandboxPage } from './page.ts';
import { russianPages } from './russian-pages.ts';

export const sandboxPages: readonly SandboxPage[] = [...russianPages, ...englishPages];

/** Prefix of words in a search query that request faults (docs/sandbox.md). */
const DIRECTIVE = '@search-';

/** Answers `GET /search?q=…&format=json` in the response format of SearXNG. */
export async function answerSearch(parameters: URLSearchParams, response: ServerResponse): Promise<void> {
  const words = (parameters.get('q') ?? '').split(/\s+/).filter((word) => word !== '');
  const directives = words.filter((word) => word.startsWith(DIRECTIVE)).map((word) => word.slice(DIRECTIVE.length));
  const query = words.filter((word) => !word.startsWith(DIRECTIVE)).join(' ');
  if (parameters.get('format') !== 'json')
    return sendJsonText(response, 403, '{"error":"only the format json is enabled"}');
  for (const directive of directives) {
    const [name, value = ''] = directive.split('=');
    const status = /^[45]\d\d$/.test(directive) ? Number(directive) : undefined;
    if (status !== undefined) return sendJsonText(response, status, '{"error":"as the query asked"}');
    if (name === 'hang') return;
    if (name === 'garbage') return sendJsonText(response, 200, '{"results": [{"title": 7');
    if (name === 'slow') await sleep(Math.min(Number(value) || 0, 60_000));
  }
  sendJsonText(response, 200, searxngAnswer(query, directives.includes('empty') ? [] : find(sandboxPages, query)));
}

function searxngAnswer(query: string, found: readonly SandboxPage[]): string {
  const results = found.map(({ url, title, text, published }, index) => ({
    url,
    title,
    content: text,
    publishedDate: `${published}T00:00:00`,
    engine: 'sandbox',
    engines: ['sandbox'],
    category: 'general',
    score: 1 / (index + 1),
  }));
  const others = { answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] };
  return JSON.stringify({ query, number_of_results: results.length, results, ...others });
}
