/**
 * Finds many terms in one text, each only as a whole word or number. Terms are sorted, so one search at the start of a
 * word finds the longest term there. Memory is that of the terms. Time grows with the text and the logarithm of the
 * number of terms, even if an attacker chose them.
 */

import { isWordAt } from './find/finding.ts';

export interface FoundTerm {
  start: number;
  end: number;
  term: string;
}

/** Length of a prefix that is checked before the search for a term. */
const BEGINNING = 4;
const FIRSTS = 0x7ff;
/** Bits in the table of prefixes. Even the values of a large prompt fill little of it. */
const TABLE_BITS = 1 << 16;

export class TermSearch {
  readonly #terms: string[];
  /** Index of the longest other term that is a prefix of each term; -1 without one. */
  readonly #parents: number[] = [];
  /**
   * Table of the lower bits of first characters, which differ between most scripts. It excludes most positions of a
   * text.
   */
  readonly #firsts = new Uint8Array(FIRSTS + 1);
  /** One bit for each prefix of a term, with at most four characters. It excludes nearly all remaining positions. */
  readonly #beginnings = new Uint8Array(TABLE_BITS >> 3);
  /** Lengths of these prefixes. */
  readonly #lengths: number[];
  readonly #longest: number;

  constructor(terms: Iterable<string>) {
    this.#terms = [...new Set(terms)].filter((term) => term !== '').sort();
    this.#longest = this.#terms.reduce((longest, { length }) => Math.max(longest, length), 0);
    for (const [index, term] of this.#terms.entries()) {
      let parent = index - 1;
      while (parent >= 0 && !term.startsWith(this.#terms[parent]!)) parent = this.#parents[parent]!;
      this.#parents.push(parent);
      this.#firsts[term.charCodeAt(0) & FIRSTS] = 1;
      const bit = bitOf(term, 0, Math.min(BEGINNING, term.length));
      this.#beginnings[bit >> 3]! |= 1 << (bit & 7);
    }
    this.#lengths = [...new Set(this.#terms.map(({ length }) => Math.min(BEGINNING, length)))];
  }

  /**
   * The terms in a text, from left to right, the longest first, without overlaps.
   * @param taken parts of the text to skip, from left to right
   */
  find(text: string, taken: readonly { start: number; end: number }[] = []): FoundTerm[] {
    const found: FoundTerm[] = [];
    if (this.#terms.length === 0) return found;
    let from = 0;
    for (const { start, end } of taken) {
      this.#findBetween(text, from, start, found);
      from = end;
    }
    this.#findBetween(text, from, text.length, found);
    return found;
  }

  #findBetween(text: string, from: number, until: number, found: FoundTerm[]): void {
    const firsts = this.#firsts;
    for (let start = from; start < until; start += 1) {
      if (firsts[text.charCodeAt(start) & FIRSTS] === 0) continue;
      if (isWordAt(text, start - 1) && isWordAt(text, start)) continue;
      const term = this.#mayBeginAt(text, start) ? this.#longestAt(text, start) : undefined;
      if (term === undefined || start + term.length > until) continue;
      found.push({ start, end: start + term.length, term });
      start += term.length - 1;
    }
  }

  #mayBeginAt(text: string, start: number): boolean {
    for (const length of this.#lengths) {
      const bit = bitOf(text, start, length);
      if ((this.#beginnings[bit >> 3]! & (1 << (bit & 7))) !== 0) return true;
    }
    return false;
  }

  #longestAt(text: string, start: number): string | undefined {
    const rest = text.slice(start, start + this.#longest);
    let index = this.#lastUpTo(rest);
    while (index >= 0 && !this.#standsAt(text, start, rest, this.#terms[index]!)) index = this.#parents[index]!;
    return this.#terms[index];
  }

  #standsAt(text: string, start: number, rest: string, term: string): boolean {
    const end = start + term.length;
    return rest.startsWith(term) && !(isWordAt(text, end) && isWordAt(text, end - 1));
  }

  /**
   * The greatest term that is not greater than the text. Every term at the start of the text is also at the start of
   * this one.
   */
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

/** The position of a prefix in the table. */
function bitOf(text: string, start: number, length: number): number {
  let hash = length;
  for (let index = start; index < start + length; index += 1)
    hash = Math.imul(hash, 0x01_00_01_93) ^ text.charCodeAt(index);
  return (hash ^ (hash >>> 16)) & (TABLE_BITS - 1);
}
