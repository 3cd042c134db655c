/**
 * Numbers the sources of a conversation, and formats their text for the model. A source normally has the same number in
 * every turn, so that a provider's prompt cache stays valid.
 */

import type { SearchHit } from './backend.ts';

/** `call` is the id of the search call, and `result` the index among its results. */
export interface Source extends SearchHit {
  call: string;
  result: number;
}

/** Maximum size in bytes of the results of one search. The hold includes their tokens. */
export const MAX_RESULT_BYTES = 24_000;
const NO_RESULTS = 'No results.';

export class Sources {
  readonly #sources: Source[] = [];
  readonly #numbers = new Map<string, number>();

  /** @returns the number of the source, from 1 */
  add(source: Source): number {
    this.#sources.push(source);
    this.#numbers.set(`${source.result} ${source.call}`, this.#sources.length);
    return this.#sources.length;
  }

  get(number: number): Source | undefined {
    return this.#sources[number - 1];
  }

  numberOf({ call, result }: Pick<Source, 'call' | 'result'>): number | undefined {
    return this.#numbers.get(`${result} ${call}`);
  }

  get count(): number {
    return this.#sources.length;
  }
}

/** Returns the text of a source for the model. */
export function sourceText(number: number, { title, url, text, age }: SearchHit): string {
  const about = age === null ? title : `${title} (${age})`;
  return [`[${number}] ${about}`, url, text].map(inLines).join('\n');
}

/** Removes empty lines, because an empty line separates two sources. */
function inLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, '\n');
}

/** Returns the results of one search as a text for the model. */
export function resultText(sources: readonly string[]): string {
  return sources.length === 0 ? NO_RESULTS : sources.join('\n\n');
}

/** Returns the size of a text in bytes. Providers may normalize the text (NFKC), so the longer of both forms counts. */
export function readBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes === text.length ? bytes : Math.max(bytes, Buffer.byteLength(text.normalize('NFKC')));
}
