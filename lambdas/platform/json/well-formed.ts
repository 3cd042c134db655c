/**
 * JSON for providers. Half of a surrogate pair, as in a text that was cut in the middle of an emoji, is not valid
 * Unicode. Providers reject the whole request because of it.
 */

/**
 * Escapes of unpaired surrogates after an even number of backslashes. JSON.stringify writes complete pairs unescaped.
 */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** The value as JSON with valid Unicode texts: U+FFFD replaces each unpaired surrogate. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\uFFFD') : json;
}
