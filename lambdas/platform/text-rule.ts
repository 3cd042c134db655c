/** What a text has to be that somebody gives, as data: fields of requests and arguments of commands are made of it. */

export interface TextRule {
  /** In UTF-16 units, as JavaScript counts. */
  minLength: number;
  maxLength: number;
  pattern: RegExp;
  /** What fits the pattern and is refused all the same. */
  not?: RegExp;
  /** Blanks around the text are cut off before it is judged, and kept. */
  trimmed?: boolean;
  /** The rule as a person reads it, after the name of what was given. */
  says: string;
}

/** @param text trimmed already, where the rule is about trimmed texts */
export function obeys({ minLength, maxLength, pattern, not }: TextRule, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && pattern.test(text) && !not?.test(text);
}

/** A short text for people: no control characters, not only blanks. */
export function shortTextRule(minLength: number, maxLength: number): TextRule {
  return {
    minLength,
    maxLength,
    pattern: /^[^\p{Cc}\p{Cs}]*$/u,
    trimmed: true,
    says: `must be a text of ${minLength} to ${maxLength} characters on one line`,
  };
}
