/** What stands for a protected value in one request: `[EMAIL_1]`, the same for the same value in all of its texts. */

import type { SensitiveCategory } from '../store/accounts/sensitive-data.ts';

/** Text that looks like one of ours. */
const LIKE_A_PLACEHOLDER = /\[(?:EMAIL|PHONE|CREDENTIAL|CARD|PASSPORT|SNILS|INN|IP_ADDRESS)_\d{1,15}\]/g;

/** Placeholders as one thread hands them to another. */
export interface PlaceholderState {
  /** In the order in which they were added. */
  values: { value: string; placeholder: string; category: SensitiveCategory }[];
  taken: ReadonlySet<string>;
  lastNumbers: ReadonlyMap<SensitiveCategory, number>;
}

export class Placeholders {
  readonly #byValue = new Map<string, { placeholder: string; category: SensitiveCategory; position: number }>();
  readonly #originals = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #lastNumbers: Map<SensitiveCategory, number>;

  constructor({ values, taken, lastNumbers }: Partial<PlaceholderState> = {}) {
    this.#taken = new Set(taken);
    this.#lastNumbers = new Map(lastNumbers);
    for (const { value, placeholder, category } of values ?? []) this.#set(value, placeholder, category);
  }

  get state(): PlaceholderState {
    const values = [...this.#byValue].map(([value, { placeholder, category }]) => ({ value, placeholder, category }));
    return { values, taken: this.#taken, lastNumbers: this.#lastNumbers };
  }

  /** What looks like a placeholder in a text was written by somebody else, and gets no value. */
  keepClearOf(text: string): void {
    if (!text.includes('[')) return;
    for (const [found] of text.matchAll(LIKE_A_PLACEHOLDER)) this.#taken.add(found);
  }

  /** Call it for values in the order of the conversation: the same beginning has the same numbers in every turn. */
  add(category: SensitiveCategory, value: string): void {
    if (this.#byValue.has(value)) return;
    let number = this.#lastNumbers.get(category) ?? 0;
    let placeholder: string;
    do {
      number += 1;
      placeholder = `[${category.toUpperCase()}_${number}]`;
    } while (this.#taken.has(placeholder));
    this.#lastNumbers.set(category, number);
    this.#set(value, placeholder, category);
  }

  #set(value: string, placeholder: string, category: SensitiveCategory): void {
    this.#byValue.set(value, { placeholder, category, position: this.count });
    this.#originals.set(placeholder, value);
  }

  /** How many values have one. */
  get count(): number {
    return this.#byValue.size;
  }

  of(value: string): string | undefined {
    return this.#byValue.get(value)?.placeholder;
  }

  categoryOf(value: string): SensitiveCategory | undefined {
    return this.#byValue.get(value)?.category;
  }

  /** How many values got one before; Infinity for a value without one. */
  positionOf(value: string): number {
    return this.#byValue.get(value)?.position ?? Infinity;
  }

  get values(): Iterable<string> {
    return this.#byValue.keys();
  }

  /** The value of each placeholder, and of each that is still to come. */
  get originals(): ReadonlyMap<string, string> {
    return this.#originals;
  }
}

/** A text of somebody else that nobody can take for one with placeholders in it: `(EMAIL_1)`. It keeps its length. */
export function withoutPlaceholders(text: string): string {
  return text.includes('[') ? text.replaceAll(LIKE_A_PLACEHOLDER, (found) => `(${found.slice(1, -1)})`) : text;
}
