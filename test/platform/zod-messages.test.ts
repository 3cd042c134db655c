import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { issueText } from '../../lambdas/platform/zod-messages.ts';

const textOf = (schema: z.ZodType, value: unknown) => issueText(schema.safeParse(value).error!.issues[0]!);

describe('the message for an invalid value', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['is required (expected string)', z.string(), undefined],
    ['must be string, not number', z.string(), 5],
    ['must be object, not array', z.object({}), []],
    ['must be a whole number', z.int(), 1.5],
    [
      'must be one of "a", "b"',
      z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      { type: 'c' },
    ],
    ['must be at most 2', z.number().max(2), 3],
    ['must be at least 0', z.number().min(0), -1],
    ['must be above 0', z.int().positive(), 0],
    ['must not be empty', z.string().min(1), ''],
    ['must have at most 3 characters', z.string().max(3), 'four'],
    ['must not be empty', z.array(z.string()).min(1), []],
    ['must have at most 1 element', z.array(z.string()).max(1), ['a', 'b']],
    ['must be one of "a", "b"', z.enum(['a', 'b']), 'c'],
    ['must be "a"', z.literal('a'), 'c'],
    ['must be a valid URL', z.url(), 'x'],
    ['must be a valid ISO date', z.iso.date(), 'x'],
    ['must be a name', z.string('must be a name'), 5],
  ])('is in plain words: %s', (text, schema, value) => {
    expect(textOf(schema, value)).toBe(text);
  });
});
