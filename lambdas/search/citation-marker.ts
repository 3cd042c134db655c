/** Markers with which a model cites the sources of a sentence: `[1]`, `[1, 2]`, `[^1]`, `【1】`. */

/** Maximum length of a marker with its brackets. Longer text in brackets cannot be a marker. */
export const MAX_MARKER_CHARACTERS = 40;

const CLOSING_BRACKET: Record<string, string> = { '[': ']', '【': '】' };
const MARKER_NUMBERS = /^\^?[1-9]\d{0,3}(?:, ?\^?[1-9]\d{0,3})*$/;
const WITHIN_MARKER = /^[\d^, ]$/;

interface Marker {
  numbers: number[];
  end: number;
}

export function opensMarker(char: string): boolean {
  return char === '[' || char === '【';
}

/**
 * Returns the marker at a bracket; 'open' if more text is needed to decide. Brackets before an opening parenthesis are
 * a link.
 * @param isWhole whether the text is complete
 */
export function markerAt(text: string, start: number, isWhole: boolean): Marker | 'open' | undefined {
  const closing = CLOSING_BRACKET[text[start]!];
  let at = start + 1;
  while (at < text.length && at - start < MAX_MARKER_CHARACTERS - 1 && WITHIN_MARKER.test(text[at]!)) at += 1;
  // A `(` after the closing bracket would make it a link.
  const isCut = at === text.length || (text[at] === closing && at + 1 === text.length);
  if (isCut && !isWhole) return 'open';
  if (text[at] !== closing || text[at + 1] === '(') return undefined;
  const listed = text.slice(start + 1, at);
  if (!MARKER_NUMBERS.test(listed)) return undefined;
  return { numbers: listed.split(',').map((number) => Number(number.replace('^', ''))), end: at + 1 };
}
