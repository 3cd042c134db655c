/** Where in a Markdown text its end is, told character by character: inside of code, at the beginning of a list item. */

/** Longer numbers at the beginning of a line are years and amounts. */
const LIST_MARK = /^(?:[-*+•]|\d{1,3}[.)])$/;
const MAX_LIST_MARK_CHARACTERS = 4;
const FENCE_BACKTICKS = 3;

export class MarkdownPlace {
  /** What stands at the beginning of the line, where it may still be the mark of a list item; undefined behind it. */
  #mark: string | undefined = '';
  /** Backticks that have just come, and whether they began the line. */
  #run = 0;
  #runBeganLine = false;
  /** Backticks that opened the code; 0 outside of code. Without a fence it ends with its line at the latest. */
  #opened = 0;
  #mayBecomeFence = false;
  #isFence = false;
  #fenceMayEnd = false;

  /** Whether what comes next, and is no backtick, is code. */
  isCodeNext(): boolean {
    this.#endRun();
    return this.#opened > 0;
  }

  /** Behind the line that opens a fence, up to the end of the line that closes it. */
  get isFence(): boolean {
    return this.#isFence;
  }

  /** @returns whether a list item begins behind this character */
  next(char: string): boolean {
    if (char === '`') {
      if (this.#run === 0) this.#runBeganLine = this.#mark === '';
      this.#run += 1;
      this.#mark = undefined;
      return false;
    }
    this.#endRun();
    if (char === '\n') {
      this.#endLine();
      return false;
    }
    if (char.trim() === '') return this.#beginsItem();
    this.#fenceMayEnd = false;
    this.#lengthenMark(char);
    return false;
  }

  #endRun(): void {
    const run = this.#run;
    if (run === 0) return;
    this.#run = 0;
    const isFenceLike = this.#runBeganLine && run >= FENCE_BACKTICKS;
    if (this.#isFence) this.#fenceMayEnd = isFenceLike && run >= this.#opened;
    else if (this.#opened === 0) {
      this.#opened = run;
      this.#mayBecomeFence = isFenceLike;
    } else if (run === this.#opened) this.#opened = 0;
  }

  #endLine(): void {
    if (this.#isFence ? this.#fenceMayEnd : !this.#mayBecomeFence) this.#opened = 0;
    this.#isFence = this.#opened > 0;
    this.#fenceMayEnd = false;
    this.#mark = '';
  }

  /** Items begin inside of items. */
  #beginsItem(): boolean {
    if (!this.#mark) return false;
    const begins = !this.#isFence && LIST_MARK.test(this.#mark);
    this.#mark = begins ? '' : undefined;
    return begins;
  }

  #lengthenMark(char: string): void {
    if (this.#mark === undefined) return;
    const mark = this.#mark + char;
    this.#mark = mark.length > MAX_LIST_MARK_CHARACTERS ? undefined : mark;
  }
}
