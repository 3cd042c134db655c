import type { z } from 'zod';

/** The message of a union that was given none of its own. */
const DEFAULT_MESSAGE = 'Invalid input';

/**
 * The fault that an issue of a schema is about, with its whole path. A union reports what is wrong with each alternative:
 * the one that got furthest is what the client meant; where none got anywhere, the union's own message is better.
 */
export function deepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const furthest = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map(deepestIssue)
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!furthest || (furthest.path.length === 0 && issue.message !== DEFAULT_MESSAGE)) return issue;
  return { ...furthest, path: [...issue.path, ...furthest.path] };
}
