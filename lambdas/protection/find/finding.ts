import type { SensitiveCategory } from '../../store/sensitive-data.ts';

/** A value of a category, where it stands in a text. */
export interface Finding {
  category: SensitiveCategory;
  start: number;
  end: number;
}

/** Finds the values of one category in a text, in time linear in its length. */
export type Rule = (text: string) => Generator<{ start: number; end: number }>;

/** Blanks and hyphens as people, word processors and web pages put them between digits; for character classes. */
export const GAP = String.raw` \u00a0\u2009\u202f`;
export const HYPHEN = String.raw`\-\u2010-\u2015\u2212`;

const WORD = /[\p{L}\p{N}_]/u;

/** The character at a position, or the pair that it is a half of, belongs to a word or a number. */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x80) {
    const isDigit = code >= 0x30 && code <= 0x39;
    return isDigit || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
  }
  if (Number.isNaN(code)) return false;
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff;
  return WORD.test(String.fromCodePoint(text.codePointAt(isSecondHalf ? index - 1 : index) ?? code));
}

/** What is between these positions is no part of a longer word or number. */
export function standsAlone(text: string, start: number, end: number): boolean {
  return !isWordAt(text, start - 1) && !isWordAt(text, end);
}

/** What stands before a position, up to so many characters: for words that say what a number is. */
export function wordsBefore(text: string, start: number, characters: number): string {
  return text.slice(Math.max(0, start - characters), start);
}

export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}
