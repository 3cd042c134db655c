/**
 * Placeholders become the client's own text again. A placeholder may come in pieces: what may be the beginning of one is held
 * back until it is known, and nothing else is; that is a token or a few, never more than the longest placeholder.
 */

/** More than any answer has: after it, placeholders stay what they are. A key in armour is a thousand times its placeholder. */
const MAX_ADDED_CHARACTERS = 16 * 1024 * 1024;

const LIKE_OUR_PLACEHOLDER = /\[[A-Z_]{3,12}_\d{1,15}\]/g;

/** What stands behind the placeholders of one answer. */
export class Originals {
  readonly #originals: ReadonlyMap<string, string>;
  /** How placeholders begin, up to their number, and the length of the longest. */
  readonly #beginnings = new Set<string>();
  #longest = 0;
  /** How many placeholders these are of. */
  #known = 0;
  #addedCharacters = 0;

  /** @param originals may grow while the answer runs */
  constructor(originals: ReadonlyMap<string, string>) {
    this.#originals = originals;
  }

  /** @param write how a value is written here: as it is, or as it stands within a JSON string */
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

  /** Where what may be the beginning of a placeholder stands at the end of a text; its length where nothing does. */
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

/** One text of an answer, that comes in pieces. */
export class RestoredText {
  readonly #originals: Originals;
  readonly #write: ((value: string) => string) | undefined;
  #held = '';

  /** @param inJson the text is JSON, and placeholders stand within its strings */
  constructor(originals: Originals, inJson: boolean) {
    this.#originals = originals;
    this.#write = inJson ? withinJson : undefined;
  }

  /** What may go out with this piece. */
  push(piece: string): string {
    if (this.#held === '' && !piece.includes('[')) return piece;
    const text = this.#held + piece;
    const end = this.#originals.openingIn(text);
    this.#held = text.slice(end);
    return this.#originals.in(text.slice(0, end), this.#write);
  }

  /** What was held back, when nothing more comes. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function withinJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
