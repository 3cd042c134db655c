/**
 * Rules for texts that people enter, as data. The schemas of request fields and of command arguments are derived from
 * these rules.
 */

export interface TextRule {
  /** Minimum and maximum length in UTF-16 code units, as JavaScript counts. */
  minLength: number;
  maxLength: number;
  pattern: RegExp;
  /** Texts that match this pattern are invalid, even if they match `pattern`. */
  not?: RegExp;
  /** Whether white space around the text is removed before it is checked and stored. */
  trimmed?: boolean;
  /** Text that states the rule, in an error message after the name of the field. */
  says: string;
}

/** @param text the text to check, already trimmed if the rule trims */
export function obeys({ minLength, maxLength, pattern, not }: TextRule, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && pattern.test(text) && !not?.test(text);
}

/**
 * Excludes invisible characters. For example, U+202E makes the rest of a line appear backwards. The joiners U+200C and
 * U+200D are allowed, because words and emoji contain them.
 */
const VISIBLE = /^(?:[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]|[\u200C\u200D])*$/u;

/** Returns the rule for a short text on one line, without control or format characters, and not only white space. */
export function shortTextRule(minLength: number, maxLength: number): TextRule {
  return {
    minLength,
    maxLength,
    pattern: VISIBLE,
    trimmed: true,
    says: `must be a text of ${minLength} to ${maxLength} characters on one line, without invisible characters`,
  };
}
