/** How long a query is, as search APIs count. */

export function codePointsIn(text: string): number {
  return Array.from(text).length;
}

export function countQueryWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
