/**
 * Texts about search results: the first sentence (or the title) of the first two sources, each with the source's number
 * in brackets.
 */

import type { SandboxPrompt } from './prompt.ts';
import { SEARCH } from './tool-calls.ts';

const MAX_QUOTED = 2;

interface Source {
  number: number;
  sentence: string;
}

/** Returns a text about the search results in a prompt; undefined if there are none. */
export function searchAnswer({ results }: SandboxPrompt): string | undefined {
  const found = results.filter(({ name }) => name === SEARCH);
  if (found.length === 0) return undefined;
  const sources = found.flatMap(({ text }) => sourcesOf(text)).slice(0, MAX_QUOTED);
  return sources.length === 0 ? 'Its search has found no source.' : answerFromSources(sources);
}

/** Returns a text about the sources in the user's message; undefined if there are none. */
export function answerFromUserText({ lastUserText }: SandboxPrompt): string | undefined {
  const sources = sourcesOf(lastUserText).slice(0, MAX_QUOTED);
  return sources.length === 0 ? undefined : answerFromSources(sources);
}

function answerFromSources(sources: readonly Source[]): string {
  const [first, ...others] = sources.map(({ number, sentence }) => `${sentence} [${number}]`);
  return [`According to its sources: ${first!}`, ...others.map((other) => `And: ${other}`)].join(' ');
}

/**
 * Returns the sources in a text, in which empty lines separate them. Each source has a line with number and title, a
 * line with the URL, and lines of text.
 */
function sourcesOf(result: string): Source[] {
  return result.split(/\n\s*\n/u).flatMap((source) => {
    const [heading = '', , ...lines] = source.trim().split('\n');
    const { number, title } = /^\[(?<number>\d+)\] ?(?<title>.*)$/u.exec(heading)?.groups ?? {};
    if (number === undefined) return [];
    return [{ number: Number(number), sentence: firstSentence(lines.join(' ').trim()) || title! }];
  });
}

function firstSentence(text: string): string {
  const end = /[.!?…](?=\s|$)/u.exec(text)?.index;
  return end === undefined ? text : text.slice(0, end + 1);
}
