/**
 * Writes JSON for providers. A text that was cut in the middle of an emoji ends with half of a surrogate pair, which is
 * not valid Unicode. Providers may reject the whole request because of such a text.
 */

/**
 * Matches the escapes that JSON.stringify writes for unpaired surrogates. Two backslashes before `ud83d` are an escaped
 * backslash, not an escape of a surrogate, so they do not match.
 */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** Returns the value as JSON. U+FFFD replaces each unpaired surrogate. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\uFFFD') : json;
}
