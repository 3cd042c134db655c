/**
 * Replaces placeholders with the client's own values. A placeholder may arrive in pieces, so the end of a text is held
 * back if it may be the beginning of a placeholder.
 */

/**
 * Maximum number of characters that restored values may add to an answer, because a value can be much longer than its
 * placeholder. Above it, placeholders stay in the text.
 */
const MAX_ADDED_CHARACTERS = 16 * 1024 * 1024;

const LIKE_OUR_PLACEHOLDER = /\[[A-Z_]{3,12}_\d{1,15}\]/g;

/** Replaces the placeholders of one answer. */
export class Originals {
  readonly #originals: ReadonlyMap<string, string>;
  /** Prefixes of placeholders, as in `[EMAIL_`. #longest is the length of the longest placeholder. */
  readonly #beginnings = new Set<string>();
  #longest = 0;
  /** Number of placeholders whose prefix is in #beginnings. */
  #known = 0;
  #addedCharacters = 0;

  /** @param originals values by placeholder; more may be added while the answer arrives */
  constructor(originals: ReadonlyMap<string, string>) {
    this.#originals = originals;
  }

  /**
   * Returns the text with values in place of placeholders.
   * @param write returns a value in the form for this text: unchanged, or escaped for a JSON string
   */
  in(text: string, write: (value: string) => string = String): string {
    if (!text.includes('[')) return text;
    return text.replaceAll(LIKE_OUR_PLACEHOLDER, (placeholder) => {
      const value = this.#originals.get(placeholder);
      if (value === undefined) return placeholder;
      const written = write(value);
      this.#addedCharacters += written.length;
      return this.#addedCharacters > MAX_ADDED_CHARACTERS ? placeholder : written;
    });
  }

  /**
   * Returns the position of a possible beginning of a placeholder at the end of the text; the text's length if there is
   * none.
   */
  openingIn(text: string): number {
    this.#learn();
    const start = text.lastIndexOf('[');
    return start !== -1 && this.#mayBegin(text.slice(start, start + this.#longest)) ? start : text.length;
  }

  #mayBegin(part: string): boolean {
    if (part.length === this.#longest) return false;
    return this.#beginnings
      .values()
      .some((beginning) =>
        part.length <= beginning.length
          ? beginning.startsWith(part)
          : part.startsWith(beginning) && /^\d+$/.test(part.slice(beginning.length)),
      );
  }

  /** Reads the placeholders that were added since the last call. Placeholders are never removed. */
  #learn(): void {
    if (this.#known === this.#originals.size) return;
    for (const placeholder of this.#originals.keys().drop(this.#known)) {
      this.#beginnings.add(placeholder.replace(/\d+\]$/, ''));
      this.#longest = Math.max(this.#longest, placeholder.length);
    }
    this.#known = this.#originals.size;
  }
}

/** One text of an answer, which arrives in pieces. */
export class RestoredText {
  readonly #originals: Originals;
  readonly #write: ((value: string) => string) | undefined;
  #held = '';

  /** @param inJson whether the text is JSON, with placeholders in its strings */
  constructor(originals: Originals, inJson: boolean) {
    this.#originals = originals;
    this.#write = inJson ? withinJson : undefined;
  }

  /** Returns the text that can be sent now. */
  push(piece: string): string {
    if (this.#held === '' && !piece.includes('[')) return piece;
    const text = this.#held + piece;
    const end = this.#originals.openingIn(text);
    this.#held = text.slice(end);
    return this.#originals.in(text.slice(0, end), this.#write);
  }

  /** Returns the held-back end of the text. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function withinJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
