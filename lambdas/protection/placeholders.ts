/**
 * Placeholders, such as `[EMAIL_1]`, for the protected values of one request. Equal values have the same placeholder in
 * all texts.
 */

import type { SensitiveCategory } from '../store/accounts/sensitive-data.ts';

const LIKE_A_PLACEHOLDER = /\[(?:EMAIL|PHONE|CREDENTIAL|CARD|PASSPORT|SNILS|INN|IP_ADDRESS)_\d{1,15}\]/g;

/** Content of a Placeholders object for another thread. */
export interface PlaceholderState {
  /** Values in the order in which they were added. */
  values: { value: string; placeholder: string; category: SensitiveCategory }[];
  reserved: ReadonlySet<string>;
  lastNumbers: ReadonlyMap<SensitiveCategory, number>;
}

export class Placeholders {
  readonly #byValue = new Map<string, { placeholder: string; category: SensitiveCategory; position: number }>();
  readonly #originals = new Map<string, string>();
  readonly #reserved: Set<string>;
  readonly #lastNumbers: Map<SensitiveCategory, number>;

  constructor({ values, reserved, lastNumbers }: Partial<PlaceholderState> = {}) {
    this.#reserved = new Set(reserved);
    this.#lastNumbers = new Map(lastNumbers);
    for (const { value, placeholder, category } of values ?? []) this.#set(value, placeholder, category);
  }

  get state(): PlaceholderState {
    const values = [...this.#byValue].map(([value, { placeholder, category }]) => ({ value, placeholder, category }));
    return { values, reserved: this.#reserved, lastNumbers: this.#lastNumbers };
  }

  /** Reserves placeholders that already occur in a text, because they stand for no value of this request. */
  keepClearOf(text: string): void {
    if (!text.includes('[')) return;
    for (const [found] of text.matchAll(LIKE_A_PLACEHOLDER)) this.#reserved.add(found);
  }

  /**
   * Gives a value a placeholder, if it has none. Call this in the order of the conversation, so that the same values
   * get the same numbers in every turn.
   */
  add(category: SensitiveCategory, value: string): void {
    if (this.#byValue.has(value)) return;
    let number = this.#lastNumbers.get(category) ?? 0;
    let placeholder: string;
    do {
      number += 1;
      placeholder = `[${category.toUpperCase()}_${number}]`;
    } while (this.#reserved.has(placeholder));
    this.#lastNumbers.set(category, number);
    this.#set(value, placeholder, category);
  }

  #set(value: string, placeholder: string, category: SensitiveCategory): void {
    this.#byValue.set(value, { placeholder, category, position: this.count });
    this.#originals.set(placeholder, value);
  }

  get count(): number {
    return this.#byValue.size;
  }

  of(value: string): string | undefined {
    return this.#byValue.get(value)?.placeholder;
  }

  categoryOf(value: string): SensitiveCategory | undefined {
    return this.#byValue.get(value)?.category;
  }

  /** Returns the number of values that got a placeholder before this value; Infinity if it has no placeholder. */
  positionOf(value: string): number {
    return this.#byValue.get(value)?.position ?? Infinity;
  }

  get values(): Iterable<string> {
    return this.#byValue.keys();
  }

  /** Returns the values by placeholder. The map also gets values that are added later. */
  get originals(): ReadonlyMap<string, string> {
    return this.#originals;
  }
}

/** Changes placeholders in a third party's text, to `(EMAIL_1)` for example. */
export function withoutPlaceholders(text: string): string {
  return text.includes('[') ? text.replaceAll(LIKE_A_PLACEHOLDER, (found) => `(${found.slice(1, -1)})`) : text;
}
