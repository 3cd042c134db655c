import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { issueText } from '../../lambdas/platform/zod-messages.ts';

const textOf = (schema: z.ZodType, value: unknown) => issueText(schema.safeParse(value).error!.issues[0]!);

describe('the message for an invalid value', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'is required (expected string)'],
    [z.string(), 5, 'must be string, not number'],
    [z.object({}), [], 'must be object, not array'],
    [z.int(), 1.5, 'must be a whole number'],
    [
      z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      { type: 'c' },
      'must be one of "a", "b"',
    ],
    [z.number().max(2), 3, 'must be at most 2'],
    [z.number().min(0), -1, 'must be at least 0'],
    [z.int().positive(), 0, 'must be above 0'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().max(3), 'four', 'must have at most 3 characters'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 element'],
    [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [z.literal('a'), 'c', 'must be "a"'],
    [z.url(), 'x', 'must be a valid URL'],
    [z.iso.date(), 'x', 'must be a valid ISO date'],
    [z.string('must be a name'), 5, 'must be a name'],
  ])('is in plain words (%#)', (schema, value, text) => {
    expect(textOf(schema, value)).toBe(text);
  });
});
