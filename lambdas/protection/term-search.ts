/**
 * Finds many terms in one text, each only as a whole word or number. One binary search at the start of each word finds
 * the longest matching term. Time grows with the text, the length of the terms, and the logarithm of their number, even
 * for an attacker's terms.
 */

import { isWordAt } from './find/finding.ts';

export interface FoundTerm {
  start: number;
  end: number;
  term: string;
}

const BEGINNING = 4;
const FIRSTS = 0x7ff;
/** Number of bits in the table of prefixes. */
const TABLE_BITS = 1 << 16;

export class TermSearch {
  readonly #terms: string[];
  /** Index of the longest other term that is a prefix of the term; -1 if there is none. */
  readonly #parents: number[] = [];
  /** Table of the terms' first characters, by their lower 11 bits. It excludes most positions of a text. */
  readonly #firsts = new Uint8Array(FIRSTS + 1);
  /** Table of the terms' prefixes of up to four characters, as bits. It excludes nearly all remaining positions. */
  readonly #beginnings = new Uint8Array(TABLE_BITS >> 3);
  /** Lengths of the prefixes in the table `#beginnings`. */
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
   * Returns the longest terms from left to right, without overlaps.
   * @param skipped parts of the text to skip, from left to right
   */
  find(text: string, skipped: readonly { start: number; end: number }[] = []): FoundTerm[] {
    const found: FoundTerm[] = [];
    if (this.#terms.length === 0) return found;
    let from = 0;
    for (const { start, end } of skipped) {
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
      const term = this.#mayBeginAt(text, start) ? this.#longestAt(text, start, until) : undefined;
      if (term === undefined) continue;
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

  #longestAt(text: string, start: number, until: number): string | undefined {
    const rest = text.slice(start, Math.min(start + this.#longest, until));
    let index = this.#lastUpTo(rest);
    while (index >= 0 && !this.#standsAt(text, start, rest, this.#terms[index]!)) index = this.#parents[index]!;
    return this.#terms[index];
  }

  #standsAt(text: string, start: number, rest: string, term: string): boolean {
    const end = start + term.length;
    return rest.startsWith(term) && !(isWordAt(text, end) && isWordAt(text, end - 1));
  }

  /**
   * Returns the index of the last term that sorts at or before the text. Each term that is a prefix of the text is this
   * term, or a prefix of this term.
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

function bitOf(text: string, start: number, length: number): number {
  let hash = length;
  for (let index = start; index < start + length; index += 1)
    hash = Math.imul(hash, 0x01_00_01_93) ^ text.charCodeAt(index);
  return (hash ^ (hash >>> 16)) & (TABLE_BITS - 1);
}
