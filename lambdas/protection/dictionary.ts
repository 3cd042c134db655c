import { TermSearch } from './term-search.ts';

export interface Substitution {
  start: number;
  end: number;
  by: string;
}

/**
 * Finds the terms of a key's dictionary in a text, with their substitutes. Only whole words match, in any letter case;
 * inflected forms are different words.
 */
export class Dictionary {
  readonly #search: TermSearch;
  readonly #substitutes: Map<string, string>;

  constructor(entries: { term: string; substitute: string }[]) {
    // If terms differ only in letter case, the first one applies.
    this.#substitutes = new Map(
      entries.map(({ term, substitute }) => [folded(term), substitute] as const).toReversed(),
    );
    this.#search = new TermSearch(this.#substitutes.keys());
  }

  /**
   * Returns the places of terms, with their substitutes.
   * @param skipped parts of the text to skip, sorted by position
   */
  find(text: string, skipped: readonly { start: number; end: number }[] = []): Substitution[] {
    if (this.#substitutes.size === 0) return [];
    return this.#search
      .find(folded(text), skipped)
      .map(({ start, end, term }) => ({ start, end, by: this.#substitutes.get(term)! }));
  }
}

/**
 * Returns the text in lower case. Its length does not change: a letter whose lower case has two characters stays as it
 * is.
 */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const unit = text.charAt(index);
    const small = unit.toLowerCase();
    return small.length === 1 ? small : unit;
  }).join('');
}
