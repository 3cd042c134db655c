import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { wholeExample } from '../../lib/openapi/whole-example.ts';

const schema = z.strictObject({
  id: z.string(),
  limit: z.number().nullable(),
  note: z.string().nullable().optional(),
  parts: z.array(z.strictObject({ name: z.string(), price: z.number().nullable() })),
});

describe('an example of an answer', () => {
  it('has null for each omitted nullable member, in the order of the schema', () => {
    const whole = wholeExample(schema, { parts: [{ name: 'a' }], id: 'x' });
    expect(JSON.stringify(whole)).toBe('{"id":"x","limit":null,"parts":[{"name":"a","price":null}]}');
  });

  it('lacks a required member that is not nullable, which the test of examples then reports', () => {
    expect(wholeExample(schema, { parts: [] })).toEqual({ limit: null, parts: [] });
  });

  it('keeps a member that its schema does not have, which the test of examples then reports', () => {
    expect(wholeExample(schema, { id: 'x', parts: [], colour: 'red' })).toMatchObject({ colour: 'red' });
  });
});
