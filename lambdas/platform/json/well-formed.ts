/**
 * JSON for providers. Half of a surrogate pair, as in a text that was cut in the middle of an emoji, is no Unicode, and they refuse the whole
 * request for it.
 */

/** Escapes of surrogates without their other half; JSON.stringify writes whole pairs as they are. Behind an even number of backslashes. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** The value as JSON whose texts are Unicode: U+FFFD stands for each half of a pair. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\uFFFD') : json;
}
