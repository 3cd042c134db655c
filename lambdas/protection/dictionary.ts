import { TermSearch } from './term-search.ts';

export interface Substitution {
  start: number;
  end: number;
  by: string;
}

/**
 * Finds the terms of a key's dictionary in a text, each with the substitute that replaces it. Only whole words match,
 * in any letter case. Inflected forms count as different words.
 */
export class Dictionary {
  readonly #search: TermSearch;
  readonly #substitutes: Map<string, string>;

  constructor(entries: { term: string; substitute: string }[]) {
    // If several terms differ only in letter case, the first one applies.
    this.#substitutes = new Map(
      entries.map(({ term, substitute }) => [folded(term), substitute] as const).toReversed(),
    );
    this.#search = new TermSearch(this.#substitutes.keys());
  }

  /** @param skipped parts of the text to skip, sorted by position */
  find(text: string, skipped: readonly { start: number; end: number }[] = []): Substitution[] {
    if (this.#substitutes.size === 0) return [];
    return this.#search
      .find(folded(text), skipped)
      .map(({ start, end, term }) => ({ start, end, by: this.#substitutes.get(term)! }));
  }
}

/**
 * Converts a text to lower case without changing its length: a letter whose lower case has two characters stays
 * unchanged.
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
