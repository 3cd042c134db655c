/** Prose of the repository (comments and Markdown), and patterns for words that docs/writing.md replaces. */

/** The patterns count words, so some matches are correct English, for which the ceilings leave room. */
const patterns = {
  /** Every "what", except in "what-if". */
  what: /\bwhat\b(?!-if)/gi,
  /** Every "where", except after "place", "places" and "from". */
  where: /(?<!\b(?:places?|from)\s)\bwhere\b/gi,
  'told, tell, asked': /\b(?:told|tells?|telling|asked)\b/gi,
  /** Pronouns in the place of a noun; "such as" introduces examples, and does not match. */
  'one that, those that, such': /\b(?:ones?|those) (?:that|which|who)\b|\bsuch (?:that|an?|ones?|with)\b/gi,
} as const;
export type PatternName = keyof typeof patterns;

/** Returns the lines of comments without comment marks. */
export function commentLines(source: string): string[] {
  const lines: string[] = [];
  let isInBlock = false;
  for (const line of source.split('\n')) {
    const text = commentOf(line, isInBlock);
    if (text !== undefined) lines.push(text);
    if (!isInBlock && /^\s*\/\*/.test(line)) isInBlock = true;
    if (isInBlock && line.includes('*/')) isInBlock = false;
  }
  return lines.map((line) => line.trim()).filter((line) => /\p{L}/u.test(line));
}

function commentOf(line: string, isInBlock: boolean): string | undefined {
  if (isInBlock || /^\s*\/\*/.test(line)) return line.replace(/^\s*\/?\*+\/?/, '').replace(/\*\/.*$/, '');
  return /(?:^|[\s;{}])\/\/ (.*)$/.exec(line)?.[1];
}

/** Removes blocks of code and addresses of links, and replaces inline code by `code`. */
export function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^\s*```[^]*?^\s*```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '`code`')
    .replaceAll(/\]\([^)]*\)/g, ']');
}

/** Counts the words of a text that have a letter or a digit. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

export function matchesOf(name: PatternName, text: string): number {
  return text.match(patterns[name])?.length ?? 0;
}
