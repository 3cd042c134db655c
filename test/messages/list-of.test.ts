import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { firstFault, boundedList } from '../../lambdas/messages/list-of.ts';

describe('the schema of a list', () => {
  it('returns the list itself, not a copy', () => {
    const list = [{ a: 1, unknown: 2 }];

    expect(boundedList(z.object({ a: z.number() })).parse(list)).toBe(list);
  });

  it('stops at the first fault', () => {
    const seen: unknown[] = [];
    const element = z.number().or(z.string().refine((value) => seen.push(value) < 0));

    const fault = firstFault(boundedList(element), [1, 'x', 'y', 'z']);

    expect([fault?.path, seen]).toEqual([[1], ['x']]);
  });

  it.each([
    [undefined, 'is required (expected a list)'],
    [null, 'must be a list'],
    [{ length: 1 }, 'must be a list'],
    [[], 'must have at least 1 element'],
    [[1, 2, 3], 'must have at most 2 elements'],
  ])('refuses with a plain message: %j', (list, message) => {
    expect(firstFault(boundedList(z.number(), { min: 1, max: 2 }), list)).toMatchObject({
      path: [],
      message,
    });
  });

  it('accepts a list within its bounds', () => {
    const bounded = boundedList(z.number(), { min: 1, max: 2 });

    expect([[1], [1, 2]].map((list) => firstFault(bounded, list))).toEqual([undefined, undefined]);
  });

  it('ends the check of the enclosing object at a fault', () => {
    const around = z
      .object({ list: boundedList(z.number()) })
      .refine(({ list }) => list.every((value) => value.toFixed() === '1'));

    expect(around.safeParse({ list: [null] }).error?.issues.map(({ path }) => path)).toEqual([['list', 0]]);
  });
});
