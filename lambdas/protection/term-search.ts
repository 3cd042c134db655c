/**
 * Many terms in one text, each where it stands by itself: no part of a longer word or number. Terms are kept sorted, so
 * that one search at the beginning of a word finds the longest that begins there: memory is that of the terms, and time
 * grows with the text and the logarithm of their number, whoever chose them.
 */

import { isWordAt } from './find/finding.ts';

export interface FoundTerm {
  start: number;
  end: number;
  term: string;
}

/** So many characters of a beginning are looked at before a term is searched for. */
const BEGINNING = 4;
const FIRSTS = 0x7ff;
/** Bits of the table of beginnings; as many terms as a prompt has values fill little of it. */
const TABLE_BITS = 1 << 16;

export class TermSearch {
  readonly #terms: string[];
  /** For each term the longest other one that it begins with; -1 for none. */
  readonly #parents: number[] = [];
  /** For the lower bits of first characters, which tell most scripts apart: most places of a text are ruled out by them. */
  readonly #firsts = new Uint8Array(FIRSTS + 1);
  /** A bit for each beginning of a term, of at most four characters: nearly every other place is ruled out by them. */
  readonly #beginnings = new Uint8Array(TABLE_BITS >> 3);
  /** How long these beginnings are. */
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
   * The terms in a text, from left to right, the longest first; none overlaps another.
   * @param taken parts of the text that are not looked at, from left to right
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

/** The place of a beginning in the table. */
function bitOf(text: string, start: number, length: number): number {
  let hash = length;
  for (let index = start; index < start + length; index += 1)
    hash = Math.imul(hash, 0x01_00_01_93) ^ text.charCodeAt(index);
  return (hash ^ (hash >>> 16)) & (TABLE_BITS - 1);
}
