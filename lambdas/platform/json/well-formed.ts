/**
 * Writes JSON. A text that was cut in the middle of an emoji ends with half of a surrogate pair, which is not valid
 * Unicode. Providers may reject the whole request because of this text.
 */

/**
 * Matches the escapes that JSON.stringify writes for unpaired surrogates. An escaped backslash before `ud83d` does not
 * match.
 */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** Returns the value as JSON. U+FFFD replaces each unpaired surrogate. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\uFFFD') : json;
}
