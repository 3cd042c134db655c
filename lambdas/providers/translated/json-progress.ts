/** Detects the end of a JSON text that arrives in pieces. Each character is read only once. */
export class JsonProgress {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;
  #isStructure = false;
  #closed = false;

  feed(text: string): void {
    for (let index = 0; index < text.length; index += 1) this.#step(text.charCodeAt(index));
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Whether the text is complete. A number or a word counts as complete from its first character. */
  get isComplete(): boolean {
    return this.#begun && !this.#inString && this.#depth <= 0;
  }

  /** Whether the text is an object or a list that has ended. */
  get isClosed(): boolean {
    return this.#closed;
  }

  #step(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === 0x5c) this.#escaped = true;
      else if (code === 0x22) this.#inString = false;
      return;
    }
    switch (code) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return;
      case 0x22:
        this.#inString = true;
        break;
      case 0x7b:
      case 0x5b:
        this.#isStructure ||= !this.#begun;
        this.#depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        this.#depth -= 1;
        this.#closed = this.#isStructure && this.#depth <= 0;
        break;
    }
    this.#begun = true;
  }
}
