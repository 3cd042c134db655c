/**
 * Prose of the repository: comments of the program, and paragraphs of Markdown. Also patterns for the words that
 * docs/writing.md replaces.
 */

/**
 * Patterns by name. They count words, not meanings, so some matches are correct English: "where" for a place, "asked"
 * for a person. The ceilings in the test leave room for such matches.
 */
const patterns = {
  /** Matches every "what", except in "what-if". */
  what: /\bwhat\b(?!-if)/gi,
  /** Matches every "where", except after "place", "places" and "from". */
  where: /(?<!\b(?:places?|from)\s)\bwhere\b/gi,
  'told, tell, asked': /\b(?:told|tells?|telling|asked)\b/gi,
  /** Matches pronouns in the place of a noun. "such as" does not match, because it introduces examples. */
  'one that, those that, such': /\b(?:ones?|those) (?:that|which|who)\b|\bsuch (?:that|an?|ones?|with)\b/gi,
} as const;
export type PatternName = keyof typeof patterns;

/**
 * Returns the text of each line of comments, without comment marks. If a line has code and a comment, only the comment
 * counts.
 */
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

/** Returns Markdown without blocks of code, inline code, and addresses of links. */
export function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^\s*```[^]*?^\s*```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '`code`')
    .replaceAll(/\]\([^)]*\)/g, ']');
}

/** Returns the number of words. Only words with a letter or a digit count, so the lines of tables do not. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

export function matchesOf(name: PatternName, text: string): number {
  return text.match(patterns[name])?.length ?? 0;
}
