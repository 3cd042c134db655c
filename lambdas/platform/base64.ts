/** Matches a character outside the standard alphabet of RFC 4648. */
const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;
const paddings = new Set(['', '=', '==']);

export const BASE64_RULE = 'must be base64: A-Z, a-z, 0-9, + and / in groups of four, the last one filled up with =';

export function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const end = text.search(OUTSIDE_ALPHABET);
  return end === -1 || (text.length - end <= 2 && paddings.has(text.slice(end)));
}
