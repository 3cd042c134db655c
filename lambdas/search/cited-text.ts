/**
 * Converts source markers in a model's text to citations. A part before a marker is a sentence, or a piece of a
 * sentence, and has the marker's sources.
 *
 * The joined result does not depend on the pieces in which the text arrives. The current sentence is held back, up to a
 * limit, because a marker may still cite it.
 */

import { markerAt, MAX_MARKER_CHARACTERS, opensMarker } from './citation-marker.ts';
import { MarkdownPlace } from './markdown-place.ts';

export type TextPart = { text: string } | { text: string; sources: number[] };

/**
 * Maximum number of held-back characters, including a possible marker. At this limit, about the first half is released,
 * which a later marker cannot cite.
 */
const MAX_HELD_CHARACTERS = 400;
const MAX_READ_CHARACTERS = MAX_HELD_CHARACTERS - MAX_MARKER_CHARACTERS;
const LET_GO_CHARACTERS = MAX_READ_CHARACTERS / 2;

/** Characters that end a sentence if white space follows, perhaps after CLOSERS. */
const ENDS = new Set('.!?…');
const CLOSERS = new Set('"”’»)*_」』）');
/** Chinese and Japanese ends of sentences need no white space after them. */
const WIDE_ENDS = new Set('。！？');
const CITED_WORD = /[\p{L}\p{N}]/u;

/** Begins a text of an answer; `isSource` returns whether a source number exists. */
export function citedText(isSource: (number: number) => boolean): CitedText {
  return new CitedText(isSource);
}

/** One text of an answer, which arrives in pieces. */
export class CitedText {
  readonly #isSource: (number: number) => boolean;
  readonly #mayCite: boolean;
  readonly #place = new MarkdownPlace();
  #parts: TextPart[] = [];
  /**
   * Pending text: `#start` is its first character, `#at` the read position, and `#contentEnd` the end without white
   * space.
   */
  #text = '';
  #start = 0;
  #at = 0;
  #contentEnd = 0;
  #previous = '';
  #sentence: 'open' | 'closing' | 'ended' = 'open';
  /** Whether the pending text has a letter or a digit, which a marker can cite. */
  #hasWord = false;
  /** Text before the last markers, and their sources. It is kept until no further marker can follow directly. */
  #cited: { text: string; sources: Set<number> } | undefined;
  /** Whether white space may be appended to the last returned part. */
  #isPlain = false;

  /** @param isSource whether a source number exists; without source 1 there are no sources */
  constructor(isSource: (number: number) => boolean) {
    this.#isSource = isSource;
    this.#mayCite = isSource(1);
  }

  /**
   * Returns the complete parts; none is empty. White space alone continues a plain part, because some clients drop
   * blank blocks, and some APIs reject them.
   */
  push(piece: string): TextPart[] {
    if (!this.#mayCite) return piece === '' ? [] : [{ text: piece }];
    this.#text += piece;
    this.#read(false);
    if (this.#place.isFence) this.#releasePlain(wholeCharacters(this.#text, this.#text.length));
    return this.#takeParts();
  }

  /** Returns the held-back text at the end. */
  end(): TextPart[] {
    this.#read(true);
    this.#releaseCited();
    this.#isPlain = true;
    this.#releasePlain(this.#text.length);
    return this.#takeParts();
  }

  #read(isWhole: boolean): void {
    while (this.#at < this.#text.length) {
      const marker = this.#markerHere(isWhole);
      if (marker === 'open') return;
      const { numbers = [], end = this.#at + 1 } = marker ?? {};
      if (!marker) this.#readCharacter(this.#text[this.#at]!);
      else if (this.#canCite(numbers)) this.#cite(numbers, end);
      else this.#readContent(end);
      if (this.#readLength() >= MAX_READ_CHARACTERS) this.#releaseHalf();
    }
  }

  #markerHere(isWhole: boolean): ReturnType<typeof markerAt> {
    const start = this.#cited ? behindComma(this.#text, this.#at) : this.#at;
    if (start === this.#text.length && !isWhole) return 'open';
    const isBracket = opensMarker(this.#text[start] ?? '') && this.#previous !== '[' && !this.#place.isCodeNext();
    return isBracket ? markerAt(this.#text, start, isWhole) : undefined;
  }

  #canCite(numbers: number[]): boolean {
    const hasCitable = this.#hasWord && this.#contentEnd > this.#start;
    return (hasCitable || this.#cited !== undefined) && numbers.every((number) => this.#isSource(number));
  }

  #cite(numbers: number[], end: number): void {
    this.#cited ??= { text: this.#text.slice(this.#start, this.#contentEnd), sources: new Set() };
    for (const number of numbers) this.#cited.sources.add(number);
    this.#at = end;
    this.#previous = ']';
    this.#start = end;
    this.#beginSentence();
  }

  #readCharacter(char: string): void {
    if (char === '\n') this.#endLine();
    else if (char.trim() === '') this.#readBlank(char);
    else {
      this.#readContent(this.#at + 1);
      this.#hasWord ||= CITED_WORD.test(char);
    }
  }

  #endLine(): void {
    this.#releaseCited();
    this.#advance('\n');
    this.#beginSentence();
  }

  #readBlank(char: string): void {
    if (this.#sentence === 'closing') this.#sentence = 'ended';
    if (this.#advance(char)) this.#beginSentence();
  }

  /** Reads the text up to `end`, which does not begin with white space and cites nothing. */
  #readContent(end: number): void {
    this.#releaseCited();
    const char = this.#text[this.#at]!;
    const isCloser = CLOSERS.has(char) && this.#previous.trim() !== '';
    if (this.#sentence === 'ended' && !isCloser) this.#beginSentence();
    this.#advance(char);
    this.#at = end;
    this.#contentEnd = end;
    this.#previous = this.#text[end - 1]!;
    if (!isCloser || this.#sentence === 'open') this.#sentence = this.#sentenceBehind(this.#previous);
  }

  #sentenceBehind(char: string): 'open' | 'closing' | 'ended' {
    const mayEnd = ENDS.has(char) || WIDE_ENDS.has(char);
    if (!mayEnd || this.#place.isCodeNext()) return 'open';
    return ENDS.has(char) ? 'closing' : 'ended';
  }

  /**
   * Moves the read position past one character.
   * @returns whether a list item begins after this character
   */
  #advance(char: string): boolean {
    this.#at += 1;
    this.#previous = char;
    return this.#place.next(char);
  }

  #readLength(): number {
    return this.#at - this.#start + (this.#cited?.text.length ?? 0);
  }

  /** Releases about the first half of the held-back text, up to the last space in it. */
  #releaseHalf(): void {
    this.#releaseCited();
    if (this.#readLength() < MAX_READ_CHARACTERS) return;
    const first = this.#text.slice(this.#start, Math.min(this.#start + LET_GO_CHARACTERS, this.#at));
    const blank = first.lastIndexOf(' ') + 1;
    this.#isPlain = true;
    this.#releasePlain(wholeCharacters(this.#text, this.#start + (blank || first.length)));
    // Without letters and digits, there is nothing left to cite.
    this.#hasWord &&= CITED_WORD.test(this.#text.slice(this.#start, this.#at));
  }

  /** Releases the cited text, because no other marker can follow directly. */
  #releaseCited(): void {
    if (!this.#cited) return;
    const { text, sources } = this.#cited;
    this.#cited = undefined;
    this.#parts.push({ text, sources: [...sources] });
    this.#isPlain = false;
  }

  /**
   * Releases the text up to `end` without sources. White space alone stays pending, unless it continues a plain part.
   */
  #releasePlain(end: number): void {
    if (end <= this.#start || (!this.#isPlain && this.#contentEnd <= this.#start)) return;
    const text = this.#text.slice(this.#start, end);
    const last = this.#parts.at(-1);
    if (last && !('sources' in last)) last.text += text;
    else this.#parts.push({ text });
    this.#isPlain = true;
    this.#start = end;
  }

  /** Releases the text before the sentence, because later markers cannot cite it. */
  #beginSentence(): void {
    this.#releasePlain(this.#at);
    this.#hasWord = false;
    this.#sentence = 'open';
  }

  #takeParts(): TextPart[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#text = this.#text.slice(this.#start);
    this.#at -= this.#start;
    this.#contentEnd -= this.#start;
    this.#start = 0;
    return parts;
  }
}

/**
 * Returns the position after a comma, at which a list of markers may continue, as in `[1], [2]`; `at` without a comma.
 */
function behindComma(text: string, at: number): number {
  if (text[at] !== ',') return at;
  return text[at + 1] === ' ' ? at + 2 : at + 1;
}

/** Returns a position at or before `end` that does not split a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end;
}
