/**
 * Writes JSON for providers. If a text was cut in the middle of an emoji, it has an unpaired surrogate, which is not
 * valid Unicode. Providers then refuse the whole request.
 */

/**
 * Matches the escapes that JSON.stringify writes for unpaired surrogates. If two backslashes are before `ud83d`, they
 * are an escaped backslash, so that text does not match.
 */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** Returns the value as JSON. U+FFFD replaces each unpaired surrogate. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\uFFFD') : json;
}
