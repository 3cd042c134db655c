/**
 * Markers of sources in a model's text become citations: the text comes out without them, in parts, and a part that a marker
 * stood behind says on which sources it rests. A part is a sentence, or what of it stands before the marker.
 *
 * The text comes in pieces, and what comes out is the same however it is cut. Held back is what a marker may still cite: the
 * current sentence, as far as it is short. Everything else of the text comes out as it came, every character in its order.
 */

import { markerAt, MAX_MARKER_CHARACTERS, opensMarker } from './citation-marker.ts';
import { MarkdownPlace } from './markdown-place.ts';

/** A part of the model's text as the client gets it: plain, or resting on sources. */
export type TextPart = { text: string } | { text: string; sources: number[] };

/** With a bracket that may become a marker, no more than this is held back. A marker cites at least half of it, where there is so much. */
const MAX_HELD_CHARACTERS = 400;
const MAX_READ_CHARACTERS = MAX_HELD_CHARACTERS - MAX_MARKER_CHARACTERS;
const LET_GO_CHARACTERS = MAX_READ_CHARACTERS / 2;

/** End a sentence where a blank follows; what may stand between. */
const ENDS = new Set('.!?…');
const CLOSERS = new Set('"”’»)*_」』）');
/** End a sentence by themselves: no blank follows them where they are written. */
const WIDE_ENDS = new Set('。！？');
const CITED_WORD = /[\p{L}\p{N}]/u;

/** One text of an answer, that comes in pieces. */
export class CitedText {
  readonly #isSource: (number: number) => boolean;
  readonly #mayCite: boolean;
  readonly #place = new MarkdownPlace();
  #parts: TextPart[] = [];
  /** What has not come out yet begins at `start`, is read up to `at`, and its last character that is no blank is before `contentEnd`. */
  #text = '';
  #start = 0;
  #at = 0;
  #contentEnd = 0;
  #previous = '';
  #sentence: 'open' | 'closing' | 'ended' = 'open';
  /** There is a letter or a digit to cite. */
  #hasWord = false;
  /** What the last marker cites, while more markers may follow it. */
  #cited: { text: string; sources: Set<number> } | undefined;
  /** The last part that came out is plain: blanks may follow it. */
  #isPlain = false;

  /** @param isSource sources are numbered from 1: where there is no such source, there is none, and the text is not read */
  constructor(isSource: (number: number) => boolean) {
    this.#isSource = isSource;
    this.#mayCite = isSource(1);
  }

  /**
   * What may come out with this piece. No part is empty, and none is of blanks alone (beyond a bound, and at the end of the
   * text): clients leave out such blocks, and APIs refuse them.
   */
  push(piece: string): TextPart[] {
    if (!this.#mayCite) return piece === '' ? [] : [{ text: piece }];
    this.#text += piece;
    this.#read(false);
    if (this.#place.isFence) this.#letOut(wholeCharacters(this.#text, this.#text.length));
    return this.#taken();
  }

  /** What was held back, when nothing more comes. */
  end(): TextPart[] {
    this.#read(true);
    this.#settle();
    this.#isPlain = true;
    this.#letOut(this.#text.length);
    return this.#taken();
  }

  #read(isWhole: boolean): void {
    while (this.#at < this.#text.length) {
      const marker = this.#markerHere(isWhole);
      if (marker === 'open') return;
      const { numbers = [], end = this.#at + 1 } = marker ?? {};
      if (!marker) this.#readCharacter(this.#text[this.#at]!);
      else if (this.#canCite(numbers)) this.#cite(numbers, end);
      else this.#readContent(end);
      if (this.#readLength() >= MAX_READ_CHARACTERS) this.#letGo();
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
    this.#settle();
    this.#advance('\n');
    this.#beginSentence();
  }

  #readBlank(char: string): void {
    if (this.#sentence === 'closing') this.#sentence = 'ended';
    if (this.#advance(char)) this.#beginSentence();
  }

  /** Up to an end, beginning with what is no blank. */
  #readContent(end: number): void {
    this.#settle();
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

  /** @returns whether a list item begins */
  #advance(char: string): boolean {
    this.#at += 1;
    this.#previous = char;
    return this.#place.next(char);
  }

  #readLength(): number {
    return this.#at - this.#start + (this.#cited?.text.length ?? 0);
  }

  /** Too much is held back: the first half goes, up to a blank where there is one. */
  #letGo(): void {
    this.#settle();
    if (this.#readLength() < MAX_READ_CHARACTERS) return;
    const first = this.#text.slice(this.#start, Math.min(this.#start + LET_GO_CHARACTERS, this.#at));
    const blank = first.lastIndexOf(' ') + 1;
    this.#isPlain = true;
    this.#letOut(wholeCharacters(this.#text, this.#start + (blank || first.length)));
    // The word may have been in the part that went.
    this.#hasWord &&= CITED_WORD.test(this.#text.slice(this.#start, this.#at));
  }

  /** No more markers follow. */
  #settle(): void {
    if (!this.#cited) return;
    const { text, sources } = this.#cited;
    this.#cited = undefined;
    this.#parts.push({ text, sources: [...sources] });
    this.#isPlain = false;
  }

  /** As plain text, but for blanks that would be alone. */
  #letOut(end: number): void {
    if (end <= this.#start || (!this.#isPlain && this.#contentEnd <= this.#start)) return;
    const text = this.#text.slice(this.#start, end);
    const last = this.#parts.at(-1);
    if (last && !('sources' in last)) last.text += text;
    else this.#parts.push({ text });
    this.#isPlain = true;
    this.#start = end;
  }

  /** No marker cites what stands before. */
  #beginSentence(): void {
    this.#letOut(this.#at);
    this.#hasWord = false;
    this.#sentence = 'open';
  }

  #taken(): TextPart[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#text = this.#text.slice(this.#start);
    this.#at -= this.#start;
    this.#contentEnd -= this.#start;
    this.#start = 0;
    return parts;
  }
}

/** Where a bracket may stand that goes on behind a marker: `[1], [2]`. */
function behindComma(text: string, at: number): number {
  if (text[at] !== ',') return at;
  return text[at + 1] === ' ' ? at + 2 : at + 1;
}

/** A place that is not in the middle of a character. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end;
}
