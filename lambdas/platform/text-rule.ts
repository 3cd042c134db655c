/** Rules for texts that people enter, as data. */

export interface TextRule {
  minLength: number;
  maxLength: number;
  pattern: RegExp;
  /** Texts that match this pattern are invalid, even if they match `pattern`. */
  not?: RegExp;
  /** Whether white space around the text is removed first. */
  trimmed?: boolean;
  /** Text of the rule, which follows the name of a field in error messages. */
  says: string;
}

/**
 * Whether a text obeys a rule.
 * @param text the text to check, already trimmed if the rule trims
 */
export function obeys({ minLength, maxLength, pattern, not }: TextRule, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && pattern.test(text) && !not?.test(text);
}

/**
 * Matches a text without invisible characters. The joiners U+200C and U+200D are allowed, because words and emoji
 * contain them.
 */
const VISIBLE = /^(?:[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]|[\u200C\u200D])*$/u;

/** Returns the rule for a short text on one line, of visible characters and joiners, with white space trimmed. */
export function shortTextRule(minLength: number, maxLength: number): TextRule {
  return {
    minLength,
    maxLength,
    pattern: VISIBLE,
    trimmed: true,
    says: `must be a text of ${minLength} to ${maxLength} characters on one line, without invisible characters`,
  };
}
