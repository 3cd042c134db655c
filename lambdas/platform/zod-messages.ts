import type { z } from 'zod';

/** zod's default message of a union. */
const DEFAULT_MESSAGE = 'Invalid input';

/**
 * Returns the most specific issue within an issue of a schema, with its whole path. For a union, compares the first
 * issue of each alternative: the longest path is probably of the intended alternative. If no alternative has an issue
 * within a field, the union's own issue is returned, if the union defines a message.
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

export interface Fault {
  path: PropertyKey[];
  message: string;
}

/** Returns an issue for clients. For an unknown field, the path ends with the name of that field. */
export function issueFault(issue: z.core.$ZodIssue): Fault {
  return issue.code === 'unrecognized_keys'
    ? { path: [...issue.path, issue.keys[0]!], message: 'is not a known field' }
    : { path: issue.path, message: issueText(issue) };
}

/** Matches the starts of zod's own messages. */
const ZOD_MESSAGES = /^(?:Invalid |Too (?:big|small): )/;

/** Returns the message of an issue for users of the API. */
export function issueText(issue: z.core.$ZodIssue): string {
  if (!ZOD_MESSAGES.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_union':
      return issue.message.replace(
        /^Invalid discriminator value\. Expected (.+)$/,
        (_, choices: string) => `must be one of ${choices.replaceAll("'", '"').replaceAll(' | ', ', ')}`,
      );
    case 'invalid_type':
      if (issue.expected === 'int') return 'must be a whole number';
      return issue.message
        .replace(/^Invalid input: expected (.+), received undefined$/, 'is required (expected $1)')
        .replace(/^Invalid input: expected (.+), received (.+)$/, 'must be $1, not $2');
    case 'too_small':
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? 'above' : 'at least');
    case 'too_big':
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? 'below' : 'at most');
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return `must be a valid ${issue.message.replace('Invalid ', '')}`;
    default:
      return issue.message;
  }
}

function bound(origin: string, limit: number | bigint, how: string): string {
  const counted = { string: 'character', array: 'element', set: 'element', map: 'element' }[origin];
  if (counted === undefined) return `must be ${how} ${limit}`;
  if (limit === 1 && how === 'at least') return 'must not be empty';
  return `must have ${how} ${limit} ${counted}${limit === 1 ? '' : 's'}`;
}
