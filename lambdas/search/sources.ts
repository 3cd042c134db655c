/**
 * The sources of a conversation, numbered in order, and their text for the model. The same conversation has the same
 * numbers in every turn, so a provider's prompt cache stays valid.
 */

import type { SearchHit } from './backend.ts';

/** A source, and its origin in the client's conversation: the call, and the index among its results. */
export interface Source extends SearchHit {
  call: string;
  result: number;
}

/** Maximum text of one search for the model. Its tokens are held before the search. */
export const MAX_RESULT_BYTES = 24_000;
const NO_RESULTS = 'No results.';

export class Sources {
  readonly #sources: Source[] = [];
  readonly #numbers = new Map<string, number>();

  /** @returns its number, from 1 */
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

/** The text of a source for the model, with its number. */
export function sourceText(number: number, { title, url, text, age }: SearchHit): string {
  const about = age === null ? title : `${title} (${age})`;
  return [`[${number}] ${about}`, url, text].map(inLines).join('\n');
}

/** Removes empty lines, because they separate sources. */
function inLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, '\n');
}

/** The text of one search's results for the model. Sources that would make it too long are left out. */
export function resultText(sources: readonly string[]): string {
  return sources.length === 0 ? NO_RESULTS : sources.join('\n\n');
}

/** Number of UTF-8 bytes of a text, in the longer of the forms that providers count. */
export function readBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes === text.length ? bytes : Math.max(bytes, Buffer.byteLength(text.normalize('NFKC')));
}
