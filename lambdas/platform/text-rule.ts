/** Rules for texts that people enter, as data. Fields of requests and arguments of commands are made from them. */

export interface TextRule {
  /** In UTF-16 units, as JavaScript counts. */
  minLength: number;
  maxLength: number;
  pattern: RegExp;
  /** Refused although it matches the pattern. */
  not?: RegExp;
  /** White space around the text is removed before it is checked and stored. */
  trimmed?: boolean;
  /** The rule as text for people, after the name of the field. */
  says: string;
}

/** @param text already trimmed, if the rule trims */
export function obeys({ minLength, maxLength, pattern, not }: TextRule, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && pattern.test(text) && !not?.test(text);
}

/**
 * Excludes invisible characters, such as U+202E, which shows the rest of a line backwards. Joiners (U+200C and U+200D)
 * are a part of words and emoji.
 */
const VISIBLE = /^(?:[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]|[\u200C\u200D])*$/u;

/** A short text for people: no control or format characters, and not only white space. */
export function shortTextRule(minLength: number, maxLength: number): TextRule {
  return {
    minLength,
    maxLength,
    pattern: VISIBLE,
    trimmed: true,
    says: `must be a text of ${minLength} to ${maxLength} characters on one line, without invisible characters`,
  };
}
