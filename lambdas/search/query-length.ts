/** Measures a query as search APIs do, in code points and in words. */

export function codePointsIn(text: string): number {
  return Array.from(text).length;
}

export function countQueryWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
