import type { z } from 'zod';

/**
 * The fault behind an issue of a schema, with its whole path. A union reports what is wrong with each alternative: the
 * alternative that got furthest is what the client meant; where none got anywhere, the union's own words are better.
 */
export function deepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const furthest = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map(deepestIssue)
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!furthest || (furthest.path.length === 0 && issue.message !== UNWORDED)) return issue;
  return { ...furthest, path: [...issue.path, ...furthest.path] };
}

/** What a union says that was given no words of its own. */
const UNWORDED = 'Invalid input';
