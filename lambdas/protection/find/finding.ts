import type { SensitiveCategory } from '../../store/accounts/sensitive-data.ts';

export interface Finding {
  category: SensitiveCategory;
  start: number;
  end: number;
}

/** A number as written: its digits and the separators between them. */
export interface Numerals {
  start: number;
  written: string;
  digits: string;
}

export type Add = (start: number, end: number) => void;

/** Calls `add` for each value of one category. The running time must be linear in the length of the text. */
export type Rule = (text: string, numerals: readonly Numerals[], add: Add) => void;

/** White space between digits, for character classes of patterns. HYPHEN contains hyphens. */
export const GAP = String.raw` \u00a0\u2009\u202f`;
export const HYPHEN = String.raw`\-\u2010-\u2015\u2212`;

const FINDING_WORD = /[\p{L}\p{N}_]/u;

/** Characters below this code point are looked up in a table, which is fast. */
const TABLED = 0x600;
const FINDING_WORDS = Uint8Array.from({ length: TABLED }, (_, code) =>
  Number(FINDING_WORD.test(String.fromCharCode(code))),
);

/** Whether the character belongs to a word or a number. A surrogate pair counts as one character. */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < TABLED ? FINDING_WORDS[code] === 1 : isRareWordAt(text, index, code);
}

function isRareWordAt(text: string, index: number, code: number): boolean {
  if (Number.isNaN(code)) return false;
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff;
  return FINDING_WORD.test(String.fromCodePoint(text.codePointAt(isSecondHalf ? index - 1 : index) ?? code));
}

/** Whether the text between two positions is a whole word or number. */
export function standsAlone(text: string, start: number, end: number): boolean {
  return !isWordAt(text, start - 1) && !isWordAt(text, end);
}

/** Returns at most `characters` characters before a position. */
export function wordsBefore(text: string, start: number, characters: number): string {
  return text.slice(Math.max(0, start - characters), start);
}

/** Maximum number of other characters between a word and its number, as in `"version": "`. */
const MAX_SIGNS = 6;

/** Returns the last word before a position, with at most MAX_SIGNS other characters after it. */
export function lastWord(text: string, position: number): { word: string; start: number } | undefined {
  let end = position;
  while (end > 0 && position - end < MAX_SIGNS && !isWordAt(text, end - 1)) end -= 1;
  let start = end;
  while (isWordAt(text, start - 1)) start -= 1;
  return start === end ? undefined : { word: text.slice(start, end), start };
}

export function digitsOf(text: string): string {
  let digits = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) digits += text[index];
  }
  return digits;
}

const NO_MATCHES: RegExpExecArray[] = [];

/** Returns all matches of a pattern. For many short texts, this is faster than `matchAll`. */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (!match) return NO_MATCHES;
  const matches: RegExpExecArray[] = [];
  for (; match; match = pattern.exec(text)) matches.push(match);
  return matches;
}
