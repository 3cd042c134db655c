import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { Dictionary } from './dictionary.ts';
import type { Finding } from './find/finding.ts';
import type { Placeholders } from './placeholders.ts';
import { TextRefusal } from './refusals.ts';
import { isChangeable, type Scanned } from './scan.ts';
import { TermSearch } from './term-search.ts';

/** A part of a text and what comes in its place. */
interface TextChange {
  start: number;
  end: number;
  by: string;
  /** The protected value; undefined for a term of the dictionary. */
  value?: string;
}

/** Texts of one request with placeholders for its values, and substitutes for the terms of the dictionary. */
export class Replacement {
  readonly #placeholders: Placeholders;
  readonly #dictionary: Dictionary;
  /** A value is replaced wherever it stands by itself, also where nothing beside it says what it is. */
  #values = new TermSearch([]);
  #searched = 0;

  constructor(placeholders: Placeholders, dictionary: SensitiveData['dictionary']) {
    this.#placeholders = placeholders;
    this.#dictionary = new Dictionary(dictionary);
  }

  /**
   * @returns the text as it may be sent; undefined for signed thinking that cannot be sent as it was signed
   * @throws {TextRefusal} where it would have to be changed, and cannot be
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

  /** A text that is read by the model, and by nobody else. */
  in(text: string, findings: Finding[]): string {
    return applied(text, this.#changesOf(text, findings));
  }

  /**
   * Where a model repeats a value in its thinking, it has written the placeholder: what was restored for the client
   * becomes what its provider has signed. Anything else in it was not replaced when it was signed.
   */
  #isAsSigned({ text, findings }: Scanned, changes: TextChange[], knownBefore: number): boolean {
    const isKnown = (value: string | undefined) =>
      value !== undefined && this.#placeholders.positionOf(value) < knownBefore;
    return (
      changes.every(({ value }) => isKnown(value)) &&
      findings.every(({ start, end }) => isKnown(text.slice(start, end)))
    );
  }

  /** From left to right, none overlapping another: what was found, then values found elsewhere, then terms. */
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

  /** For all values that have a placeholder by now. */
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
