/**
 * The sources of a conversation, numbered as they came, and what the model reads of them. The same conversation has the same
 * numbers in every turn: what a provider has cached of it stays true.
 */

import type { SearchHit } from './backend.ts';

/** A source, and where the client has it from: which of the results of which call. */
export interface Source extends SearchHit {
  call: string;
  result: number;
}

/** What the model reads of one search is at most so long: its tokens are held before it is made. */
export const MAX_RESULT_BYTES = 24_000;
const NO_RESULTS = 'No results.';

export class Sources {
  readonly #sources: Source[] = [];
  readonly #numbers = new Map<string, number>();

  /** @returns its number, from 1 on */
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

/** A source as the model reads it, under its number. */
export function sourceText(number: number, { title, url, text, age }: SearchHit): string {
  const about = age === null ? title : `${title} (${age})`;
  return [`[${number}] ${about}`, url, text].map(inLines).join('\n');
}

/** Sources are told apart by empty lines: none may have one. */
function inLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, '\n');
}

/** What one search found, as the model reads it; sources that would make it too long are left out. */
export function resultText(sources: readonly string[]): string {
  return sources.length === 0 ? NO_RESULTS : sources.join('\n\n');
}

/** How many UTF-8 bytes a text has, in the longer of the forms that providers count. */
export function readBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes === text.length ? bytes : Math.max(bytes, Buffer.byteLength(text.normalize('NFKC')));
}
