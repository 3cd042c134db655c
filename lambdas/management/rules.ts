/** What a text has to be that somebody gives, whoever asks for it: the API and the operator's command line. */
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

/** Ids of workspaces are UUIDs: a slug must not look like one, because either may stand in a path. */
export const slugRule: TextRule = {
  minLength: 1,
  maxLength: 50,
  pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  not: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  says: 'must be 1 to 50 lower-case letters and digits, with single dashes between them',
};

/** Ids of members stand in paths, where "add" and "remove" are routes. */
export const memberIdRule: TextRule = {
  minLength: 1,
  maxLength: 128,
  pattern: /^(?!(?:add|remove)$)[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}$/,
  says: 'must be 1 to 128 letters, digits and . _ @ : + -, beginning with a letter or digit, and neither "add" nor "remove"',
};

/** Of accounts, workspaces and keys. */
export const nameRule = shortTextRule(1, 100);
export const descriptionRule = shortTextRule(0, 500);

/** A short text for people: no control characters, not only blanks. */
function shortTextRule(minLength: number, maxLength: number): TextRule {
  return {
    minLength,
    maxLength,
    pattern: /^[^\p{Cc}\p{Cs}]*$/u,
    trimmed: true,
    says: `must be a text of ${minLength} to ${maxLength} characters on one line`,
  };
}
