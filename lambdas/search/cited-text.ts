/**
 * Converts source markers in a model's text to citations. The text is returned in parts, without markers. A part before
 * a marker is a sentence, or a piece of a sentence that ends at the marker, and has the marker's sources.
 *
 * The text arrives in pieces, and the joined result does not depend on how it is divided. The current sentence is held back,
 * up to a limit, because a marker may still cite it. All other text is returned unchanged and in order, without white
 * space before a marker.
 */

import { markerAt, MAX_MARKER_CHARACTERS, opensMarker } from './citation-marker.ts';
import { MarkdownPlace } from './markdown-place.ts';

/** A part of the model's text for the client: plain text, or text with the numbers of its sources. */
export type TextPart = { text: string } | { text: string; sources: number[] };

/**
 * Maximum number of held-back characters, including a bracket that may become a marker. At this limit, about the first
 * half is released. A later marker then cites only the second half.
 */
const MAX_HELD_CHARACTERS = 400;
const MAX_READ_CHARACTERS = MAX_HELD_CHARACTERS - MAX_MARKER_CHARACTERS;
const LET_GO_CHARACTERS = MAX_READ_CHARACTERS / 2;

/**
 * Characters that end a sentence if white space follows. The characters in CLOSERS may be between them and the white
 * space.
 */
const ENDS = new Set('.!?…');
const CLOSERS = new Set('"”’»)*_」』）');
/** Chinese and Japanese characters that end a sentence and need no white space after them. */
const WIDE_ENDS = new Set('。！？');
const CITED_WORD = /[\p{L}\p{N}]/u;

/** One text of an answer, which arrives in pieces. */
export class CitedText {
  readonly #isSource: (number: number) => boolean;
  readonly #mayCite: boolean;
  readonly #place = new MarkdownPlace();
  #parts: TextPart[] = [];
  /**
   * Pending text. `#start` is the first character that has not been returned, `#at` is the read position, and
   * `#contentEnd` is the end without trailing white space.
   */
  #text = '';
  #start = 0;
  #at = 0;
  #contentEnd = 0;
  #previous = '';
  #sentence: 'open' | 'closing' | 'ended' = 'open';
  /** Whether the pending text has a letter or a digit. Without one, a marker has nothing to cite. */
  #hasWord = false;
  /** Text and sources of the last marker; undefined if another marker can no longer follow directly. */
  #cited: { text: string; sources: Set<number> } | undefined;
  /** Whether the last returned part is plain text, to which white space may be appended. */
  #isPlain = false;

  /**
   * @param isSource returns whether a source number exists. Sources are numbered from 1, so without source 1 there are
   *   no sources, and markers are not searched.
   */
  constructor(isSource: (number: number) => boolean) {
    this.#isSource = isSource;
    this.#mayCite = isSource(1);
  }

  /**
   * Adds a piece, and returns the parts that are complete. No part is empty. A part with only white space continues a
   * plain part, because some clients drop blank blocks, and some APIs reject them. It stands alone only if too much text
   * is held back, or at the end.
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

  /** Reads content from the read position up to `end`. The content does not begin with white space. */
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
   * Moves to the next character.
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

  /** If too much text is held back, releases about its first half, up to the last space in that half. */
  #releaseHalf(): void {
    this.#releaseCited();
    if (this.#readLength() < MAX_READ_CHARACTERS) return;
    const first = this.#text.slice(this.#start, Math.min(this.#start + LET_GO_CHARACTERS, this.#at));
    const blank = first.lastIndexOf(' ') + 1;
    this.#isPlain = true;
    this.#releasePlain(wholeCharacters(this.#text, this.#start + (blank || first.length)));
    // If the remaining text has no letters and digits, there is nothing left to cite.
    this.#hasWord &&= CITED_WORD.test(this.#text.slice(this.#start, this.#at));
  }

  /** Releases the cited text with its sources, because no other marker can follow directly. */
  #releaseCited(): void {
    if (!this.#cited) return;
    const { text, sources } = this.#cited;
    this.#cited = undefined;
    this.#parts.push({ text, sources: [...sources] });
    this.#isPlain = false;
  }

  /** Releases plain text. White space without other text stays pending. */
  #releasePlain(end: number): void {
    if (end <= this.#start || (!this.#isPlain && this.#contentEnd <= this.#start)) return;
    const text = this.#text.slice(this.#start, end);
    const last = this.#parts.at(-1);
    if (last && !('sources' in last)) last.text += text;
    else this.#parts.push({ text });
    this.#isPlain = true;
    this.#start = end;
  }

  /** Starts a new sentence. Text before the sentence is released, because later markers cannot cite it. */
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
 * Returns the position after a comma at `at`, at which a list of markers may continue, as in `[1], [2]`; `at` if there
 * is no comma.
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
