import * as z from 'zod';

/**
 * Completes an example of a response: sets each missing required member to null if the schema allows null. If a
 * required member cannot be null, it stays absent.
 */
export function wholeExample(schema: z.ZodType, example: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return wholeExample(schema.unwrap() as z.ZodType, example);
  }
  if (schema instanceof z.ZodArray && Array.isArray(example)) {
    return example.map((one) => wholeExample(schema.element as z.ZodType, one));
  }
  if (!(schema instanceof z.ZodObject) || typeof example !== 'object' || example === null) return example;
  const given = example as Record<string, unknown>;
  const members = Object.entries<z.ZodType>(schema.shape).flatMap(([name, member]) => {
    if (given[name] !== undefined) return [[name, wholeExample(member, given[name])]];
    return mayBeNull(member) ? [[name, null]] : [];
  });
  return { ...Object.fromEntries(members), ...membersBeyond(schema, given) };
}

/** Returns whether a missing member becomes null: it must be required and nullable. */
function mayBeNull(member: z.ZodType): boolean {
  return !member.safeParse(undefined).success && member.safeParse(null).success;
}

/** Returns the members that the schema lacks. They stay in the example, so that the test of the examples finds them. */
function membersBeyond(schema: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name in schema.shape)));
}
