/**
 * Many terms in one text, each where it stands by itself: no part of a longer word or number. Terms are kept sorted, so
 * that one search at the beginning of a word finds the longest that begins there: memory is that of the terms, and time
 * grows with the text and the logarithm of their number, whoever chose them.
 */

import { isWordAt } from './find/finding.ts';

export interface Found {
  start: number;
  end: number;
  term: string;
}

export class TermSearch {
  readonly #terms: string[];
  /** For each term the longest other one that it begins with; -1 for none. */
  readonly #parents: number[] = [];
  /** How terms begin: two characters, or one. Nearly every word is ruled out by them. */
  readonly #beginnings = new Set<number>();
  readonly #longest: number;

  constructor(terms: Iterable<string>) {
    this.#terms = [...new Set(terms)].filter((term) => term !== '').sort();
    this.#longest = this.#terms.reduce((longest, { length }) => Math.max(longest, length), 0);
    for (const [index, term] of this.#terms.entries()) {
      let parent = index - 1;
      while (parent >= 0 && !term.startsWith(this.#terms[parent]!)) parent = this.#parents[parent]!;
      this.#parents.push(parent);
      this.#beginnings.add(term.charCodeAt(0));
      this.#beginnings.add(pairOf(term, 0));
    }
  }

  /** The terms in a text, from left to right, the longest first; none overlaps another. */
  *find(text: string): Generator<Found> {
    if (this.#terms.length === 0) return;
    for (let start = 0; start < text.length; start += 1) {
      if (!this.#beginnings.has(text.charCodeAt(start))) continue;
      if (isWordAt(text, start) && isWordAt(text, start - 1)) continue;
      const term = this.#longestAt(text, start);
      if (term === undefined) continue;
      yield { start, end: start + term.length, term };
      start += term.length - 1;
    }
  }

  #longestAt(text: string, start: number): string | undefined {
    // A term of one character has no second one that could be looked for.
    if (!this.#beginnings.has(pairOf(text, start)) && !this.#has(text.charAt(start))) return undefined;
    const rest = text.slice(start, start + this.#longest);
    let index = this.#lastUpTo(rest);
    while (index >= 0 && !this.#standsAt(text, start, rest, this.#terms[index]!)) index = this.#parents[index]!;
    return this.#terms[index];
  }

  #standsAt(text: string, start: number, rest: string, term: string): boolean {
    const end = start + term.length;
    return rest.startsWith(term) && !(isWordAt(text, end) && isWordAt(text, end - 1));
  }

  #has(term: string): boolean {
    return this.#terms[this.#lastUpTo(term)] === term;
  }

  /** The last term that is not greater than a text: every term that the text begins with is one that this begins with. */
  #lastUpTo(text: string): number {
    let low = 0;
    let high = this.#terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#terms[middle]! <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Two characters as one number, above those of single ones. */
function pairOf(text: string, index: number): number {
  return (text.charCodeAt(index) + 1) * 0x1_0000 + (text.charCodeAt(index + 1) || 0);
}
