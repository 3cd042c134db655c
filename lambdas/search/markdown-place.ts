/** Position in a Markdown text: inside code, or at the start of a list item. */

/** A bullet, or a number of up to three digits. Longer numbers are mostly years and amounts. */
const LIST_MARK = /^(?:[-*+•]|\d{1,3}[.)])$/;
const MAX_LIST_MARK_CHARACTERS = 4;
const FENCE_BACKTICKS = 3;

export class MarkdownPlace {
  /** Text since the start of the line or list item, as long as it may become the mark of a list item. */
  #mark: string | undefined = '';
  /**
   * Number of consecutive backticks before the position; #runBeganLine is true if they are at the start of the line or
   * of a list item.
   */
  #run = 0;
  #runBeganLine = false;
  /** Number of backticks that opened the current code; 0 outside of code. Inline code ends with its line. */
  #opened = 0;
  #mayBecomeFence = false;
  #isFence = false;
  #fenceMayEnd = false;

  /** Whether the next character, unless it is a backtick, is inside code. */
  isCodeNext(): boolean {
    this.#endRun();
    return this.#opened > 0;
  }

  /** Whether the position is after the opening line of a fenced code block, up to the end of its closing line. */
  get isFence(): boolean {
    return this.#isFence;
  }

  /**
   * Moves the position past one character.
   * @returns whether a list item begins after this character
   */
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

  /** Whether a list item begins after this white space. It may begin within another item. */
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
