/**
 * Ceilings for the patterns that docs/writing.md replaces, which may only be lowered. If a ceiling is too low, the
 * test's error message has the present figure.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, pageText } from '../support/markdown.ts';
import { commentLines, matchesOf, proseOf, wordCount, type PatternName } from '../support/prose.ts';

/** Matches per 1,000 lines of comments that contain a letter, in `lambdas`, `lib` and `bin`. */
const commentCeilings: Record<PatternName, { now: number; goal: number }> = {
  what: { now: 1.5, goal: 1 },
  where: { now: 1.5, goal: 1.5 },
  'told, tell, asked': { now: 1.2, goal: 1 },
  'one that, those that, such': { now: 3, goal: 3 },
};

/** Matches per 1,000 words outside of code, in pages other than the changelog. */
const pageCeilings: Record<PatternName, { now: number; goal: number }> = {
  what: { now: 0.5, goal: 0.5 },
  where: { now: 0.2, goal: 0.2 },
  'told, tell, asked': { now: 0.1, goal: 0.1 },
  'one that, those that, such': { now: 0.2, goal: 0.2 },
};

const names = Object.keys(commentCeilings) as PatternName[];

describe('comments', () => {
  const lines = ['lambdas', 'lib', 'bin']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)))
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path))
    .flatMap((path) => commentLines(pageText(path)));

  it('are found', () => expect(lines.length).toBeGreaterThan(5_000));

  it.each(names)('have few of: %s', (name) => {
    const share = (1_000 * matchesOf(name, lines.join('\n'))) / lines.length;
    const { now, goal } = commentCeilings[name];
    expect(share, `the goal is ${goal}`).toBeLessThanOrEqual(now);
  });
});

describe('pages', () => {
  const prose = pages
    .filter((page) => page !== 'CHANGELOG.md' && page !== 'docs/writing.md')
    .map((page) => proseOf(pageText(page)))
    .join('\n');

  it.each(names)('have few of: %s', (name) => {
    const share = (1_000 * matchesOf(name, prose)) / wordCount(prose);
    const { now, goal } = pageCeilings[name];
    expect(share, `the goal is ${goal}`).toBeLessThanOrEqual(now);
  });
});

describe('the counting of patterns', () => {
  it('reads comments, and no code', () => {
    const source = "/** One sentence. */\nconst what = 'what'; // told\n/*\n * One that\n */\nf('http://x');\n";
    expect(commentLines(source)).toEqual(['One sentence.', 'told', 'One that']);
  });

  it('reads prose, and no code or addresses', () => {
    expect(proseOf('a `what`\n```\nwhat\n```\n[b](what.md) c')).not.toContain('what');
  });

  it.each([
    ['what', 'What is held; admin what-if', 1],
    ['where', 'null where unknown, the place where it is', 1],
    ['told, tell, asked', 'told is asked, tells', 3],
    ['one that, those that, such', 'one that, those which, such a key, such as this', 3],
  ] as const)('counts %s', (name, text, count) => expect(matchesOf(name, text)).toBe(count));
});
