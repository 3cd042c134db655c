import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { Dictionary } from './dictionary.ts';
import type { Finding } from './find/finding.ts';
import type { Placeholders } from './placeholders.ts';
import { TextRefusal } from './refusals.ts';
import { isChangeable, type Scanned } from './scan.ts';
import { TermSearch } from './term-search.ts';

interface TextChange {
  start: number;
  end: number;
  by: string;
  /** Protected value; undefined for a term of the dictionary. */
  value?: string;
}

/** Replaces values with placeholders, and terms of the dictionary with substitutes. */
export class Replacement {
  readonly #placeholders: Placeholders;
  readonly #dictionary: Dictionary;
  /**
   * Search for known values. A value is replaced wherever it occurs as a whole word, even without the words that first
   * identified it.
   */
  #values = new TermSearch([]);
  #searched = 0;

  constructor(placeholders: Placeholders, dictionary: SensitiveData['dictionary']) {
    this.#placeholders = placeholders;
    this.#dictionary = new Dictionary(dictionary);
  }

  /**
   * Returns the text with placeholders and substitutes; undefined for signed thinking that would differ from the signed
   * text.
   * @throws {TextRefusal} if a text that cannot be changed has a protected value, or a term of the dictionary
   */
  of(scanned: Scanned): string | undefined {
    const { text, kind, knownBefore } = scanned;
    if (kind === 'protocol') return text;
    const changes = this.#changesOf(text, scanned.findings);
    const [first] = changes;
    if (!first) return kind === 'signed' && scanned.findings.length > 0 ? undefined : text;
    if (!isChangeable(kind)) {
      const { value } = first;
      throw new TextRefusal('unchangeable', value === undefined ? undefined : this.#placeholders.categoryOf(value));
    }
    if (kind === 'signed' && !this.#isAsSigned(scanned, changes, knownBefore)) return undefined;
    return applied(text, changes);
  }

  /** Returns the text with placeholders and substitutes. */
  in(text: string, findings: Finding[]): string {
    return applied(text, this.#changesOf(text, findings));
  }

  /**
   * Whether the text with placeholders equals the signed text. The model wrote and signed placeholders, and the client
   * got the values in their place. A value that does not occur before this thinking cannot be in the signed text.
   */
  #isAsSigned({ text, findings }: Scanned, changes: TextChange[], knownBefore: number): boolean {
    const isKnown = (value: string | undefined) =>
      value !== undefined && this.#placeholders.positionOf(value) < knownBefore;
    return (
      changes.every(({ value }) => isKnown(value)) &&
      findings.every(({ start, end }) => isKnown(text.slice(start, end)))
    );
  }

  /**
   * Returns the changes of a text, without overlaps. Findings in this text have precedence over values of other texts,
   * and both over terms of the dictionary.
   */
  #changesOf(text: string, findings: Finding[]): TextChange[] {
    const found: TextChange[] = [];
    for (const { start, end } of findings) {
      const value = text.slice(start, end);
      const by = this.#placeholders.of(value);
      if (by !== undefined) found.push({ start, end, by, value });
    }
    const elsewhere = this.#searchForValues()
      .find(text, found)
      .map(({ start, end, term }) => ({ start, end, by: this.#placeholders.of(term)!, value: term }));
    const values = changesInOrder(found, elsewhere);
    return changesInOrder(values, this.#dictionary.find(text, values));
  }

  #searchForValues(): TermSearch {
    const { count, values } = this.#placeholders;
    if (count > this.#searched) [this.#values, this.#searched] = [new TermSearch(values), count];
    return this.#values;
  }
}

function changesInOrder(changes: TextChange[], others: TextChange[]): TextChange[] {
  return others.length === 0 ? changes : [...changes, ...others].sort((a, b) => a.start - b.start);
}

function applied(text: string, changes: TextChange[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, by } of changes) {
    parts.push(text.slice(from, start), by);
    from = end;
  }
  return parts.join('') + text.slice(from);
}
