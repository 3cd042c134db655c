/**
 * Replaces placeholders by the client's own text. A placeholder may arrive in pieces, so a possible start of one is
 * held back until it is certain. That is a few tokens, never more than the longest placeholder.
 */

/**
 * Maximum growth of an answer. Beyond it, placeholders stay in the text. A PEM key is a thousand times as long as its
 * placeholder.
 */
const MAX_ADDED_CHARACTERS = 16 * 1024 * 1024;

const LIKE_OUR_PLACEHOLDER = /\[[A-Z_]{3,12}_\d{1,15}\]/g;

/** The values of the placeholders of one answer. */
export class Originals {
  readonly #originals: ReadonlyMap<string, string>;
  /** Prefixes of placeholders, up to their number, and the length of the longest placeholder. */
  readonly #beginnings = new Set<string>();
  #longest = 0;
  /** Number of placeholders in these prefixes. */
  #known = 0;
  #addedCharacters = 0;

  /** @param originals may grow while the answer is running */
  constructor(originals: ReadonlyMap<string, string>) {
    this.#originals = originals;
  }

  /** @param write the form of a value here: unchanged, or escaped for a JSON string */
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

  /** Position of a possible start of a placeholder at the end of a text; the text's length if there is none. */
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

  /** Placeholders are only ever added. */
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

  /** @param inJson the text is JSON, and placeholders are in its strings */
  constructor(originals: Originals, inJson: boolean) {
    this.#originals = originals;
    this.#write = inJson ? withinJson : undefined;
  }

  /** The text that may be sent with this piece. */
  push(piece: string): string {
    if (this.#held === '' && !piece.includes('[')) return piece;
    const text = this.#held + piece;
    const end = this.#originals.openingIn(text);
    this.#held = text.slice(end);
    return this.#originals.in(text.slice(0, end), this.#write);
  }

  /** The held-back part, at the end of the text. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function withinJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
